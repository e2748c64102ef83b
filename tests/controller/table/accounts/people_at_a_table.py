"""A table's accounts with a clock that stands, for the tests of sign-on and changes."""

from pathlib import Path

from controller.core.tape.inputs import AccountChange, AccountChanged
from controller.journal.people import PeopleFile
from controller.rules.actions.declaration import Role
from controller.table.accounts.changes import RequestedChange, change_account
from controller.table.accounts.sign_on import Accounts, SignOnSession, unix_account
from foundation.timestamp import Timestamp

ROOT, ANYBODY, ALEE = 0, 54321, 54322
ANN, PIN, OTHER_PIN = "Ann Lee", "270918", "300475"
NS_PER_S = 1_000_000_000


class People:
    """Accounts of a table; `recorded` is what went on record, in order."""

    def __init__(self, folder: Path) -> None:
        self.file = PeopleFile(folder)
        self.at_s = 1_000_000
        self.recorded: list[AccountChanged] = []
        self.stores = True
        self.accounts = Accounts(self.file, self.now, self.recorded.append, {str(ALEE): ANN})

    def now(self) -> Timestamp:
        return Timestamp(self.at_s * NS_PER_S, self.at_s * NS_PER_S)

    def session(self, uid: int = ANYBODY) -> SignOnSession:
        return SignOnSession(self.accounts, unix_account(uid))

    def change(self, change: AccountChange, name: str, uid: int = ROOT, **others: object) -> None:
        self.change_on(self.session(uid), change, name, **others)

    def change_on(
        self, session: SignOnSession, change: AccountChange, name: str, **others: object
    ) -> None:
        wanted = RequestedChange(change, name, **others)  # type: ignore[arg-type]
        change_account(self.accounts, session, wanted, self.store)

    def store(self, item: AccountChanged) -> bool:
        if self.stores:
            self.recorded.append(item)
        return self.stores

    def with_account(self, name: str = ANN, role: Role = Role.FLOORPERSON, pin: str = PIN) -> str:
        """The id of a person who has an account now."""
        self.change(AccountChange.ADDED, name, role=role, pin=pin)
        return self.file.find(name)
