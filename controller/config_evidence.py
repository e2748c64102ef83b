"""Who signs the table's evidence, as table.toml says it.

Responsible for: the section [evidence], what its keys need of one another, and where its paths
lead.
Not responsible for: opening a key and signing (signer).
Source: package README, "Configuration", "Evidence".
"""

from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from controller.config_sections import FileName, Section
from controller.signer import SigningSettings

DEFAULT_KEY: Final = "table.key"
_WORDS_MAX: Final = 64


class EvidenceSection(Section):
    key: FileName | None = None
    sign: bool = True
    signer: Annotated[list[str], Field(max_length=_WORDS_MAX)] = Field(default_factory=list)
    public_key: FileName | None = None

    @model_validator(mode="after")
    def _who_signs(self) -> Self:
        if self.signer and self.public_key is None:
            raise ValueError(
                "signer asks another program to sign, and its signatures must be checked; write"
                ' public_key = "FILE.pub" beside it'
            )
        if self.public_key is not None and not self.signer:
            raise ValueError(
                "public_key belongs to a signer, and none is named; take it away, or write signer ="
                ' ["/path/of/the/program"]'
            )
        if self.signer and self.key is not None:
            raise ValueError("key and signer both stand there, and one of them signs; keep one")
        if self.signer and not self.signer[0].startswith("/"):
            raise ValueError(
                f"signer: {self.signer[0]!r} is no absolute path; write out where the program"
                " stands, its arguments behind it"
            )
        if any("\0" in word for word in self.signer):
            raise ValueError("signer: an argument holds a zero character; take it away")
        return self

    def settings(self, folder: Path, journal: Path) -> SigningSettings:
        """What is signed with; `folder` is that of table.toml, `journal` the journal's."""
        return SigningSettings(
            key=journal / DEFAULT_KEY if self.key is None else folder / self.key,
            make=self.key is None,
            sign=self.sign,
            program=tuple(self.signer),
            public_key=None if self.public_key is None else folder / self.public_key,
        )
