"""The sections [[feed]] of table.toml: the consumers of the floor feed, and what each may have."""

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from controller.archive.consumers import FeedBegin, FeedContent, FeedSettings
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import FeedDirection
from controller.service.config.sections import FileName, Line, RulesSection, Section

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,32}(/[A-Za-z0-9._-]{1,32}){0,3}")
_SAVES_S_MAX: Final = 86_400
_PORT: Final = 8883


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(
            f"{text!r} is not allowed. Allowed: at most 32 small letters, digits and dashes,"
            ' because it names a file. Remedy: write it as "back-office"'
        )
    return text


def _topic(text: str) -> str:
    if not _TOPIC.fullmatch(text):
        raise ValueError(
            f"{text!r} is not the beginning of a topic. Allowed: up to four levels of letters,"
            ' digits, dots and dashes. Remedy: write it as "casino/floor-2"'
        )
    return text


def _host(text: str) -> str:
    if not text or not text.isprintable() or set(text) & set(" /@"):
        raise ValueError(
            f"{text!r} is not a host. Allowed: a name or an IP address, without a scheme. Remedy:"
            ' write it as "broker.example"'
        )
    return text


def _one_of(kind: type[FeedContent | FeedBegin], text: str) -> str:
    if text not in tuple(kind):
        raise ValueError(
            f"{text!r} is not allowed. Allowed: {', '.join(kind)}. Remedy: use one of them"
        )
    return text


def _content(text: str) -> str:
    return _one_of(FeedContent, text)


def _begin(text: str) -> str:
    return _one_of(FeedBegin, text)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class FeedSection(Section):
    name: Annotated[Line, AfterValidator(_name)]
    host: Annotated[str, Field(max_length=253), AfterValidator(_host)]
    port: Annotated[int, Field(ge=1, le=65535)] = _PORT
    topic: Annotated[str, AfterValidator(_topic)] = "smartshoe"
    tls: bool = True
    ca: FileName | None = None
    client_certificate: FileName | None = None
    client_key: FileName | None = None
    user: Line = ""
    password_file: FileName | None = None
    content: Annotated[str, AfterValidator(_content)] = FeedContent.METERS_AND_EVENTS.value
    begin: Annotated[str, AfterValidator(_begin)] = FeedBegin.OLDEST.value
    backfill: bool = False
    broker_saves_s: Annotated[int, Field(ge=0, le=_SAVES_S_MAX)] = 1800

    @model_validator(mode="after")
    def _check_security(self) -> Self:
        if not self.tls and not _is_loopback(self.host):
            raise ValueError(
                f"tls = false and the host {self.host}: events and password would go in plain text"
                " over the network. Allowed without TLS: this machine alone (127.0.0.1, ::1,"
                " localhost). Remedy: remove tls = false, and name the authority of the broker's"
                " certificate with ca"
            )
        if not self.tls and (self.ca or self.client_certificate or self.client_key):
            raise ValueError(
                "ca, client_certificate and client_key belong to TLS. Remedy: remove them, or"
                " tls = false"
            )
        if (self.client_certificate is None) != (self.client_key is None):
            raise ValueError(
                "client_certificate and client_key belong together. Remedy: give both files, or"
                " neither"
            )
        if self.password_file is not None and not self.user:
            raise ValueError('password_file belongs to a user. Remedy: write user = "NAME"')
        return self

    def settings(self, folder: Path) -> FeedSettings:
        """Paths are relative to `folder`, that of table.toml."""

        def path(name: str | None) -> Path | None:
            return None if name is None else folder / name

        return FeedSettings(
            name=self.name,
            host=self.host,
            port=self.port,
            topic=self.topic,
            tls=self.tls,
            ca=path(self.ca),
            certificate=path(self.client_certificate),
            key=path(self.client_key),
            user=self.user,
            password_file=path(self.password_file),
            content=FeedContent(self.content),
            begin=FeedBegin(self.begin),
            backfill=self.backfill,
            broker_saves_s=self.broker_saves_s,
        )


def feed_settings(path: Path, feeds: Sequence[Section]) -> tuple[FeedSettings, ...]:
    """The consumers of the table.toml at `path`."""
    folder = path.absolute().parent
    return tuple(one.settings(folder) for one in feeds if isinstance(one, FeedSection))


def feed_problems(folder: Path, feeds: Sequence[Section], rules: Section | None) -> Iterator[str]:
    """Problems of the consumers with each other, with their files, and with the rules."""
    sections = [one for one in feeds if isinstance(one, FeedSection)]
    names = Counter(one.name for one in sections)
    one_way = isinstance(rules, RulesSection) and _one_way(rules, folder)
    for number, one in enumerate(sections, start=1):
        place = f"feed[{number}]"
        if names[one.name] > 1:
            yield (
                f"{place}.name: {one.name} is named more than once. Allowed: a name of its own for"
                " each consumer. Remedy: correct one of them"
            )
        if one.backfill and one_way:
            assert isinstance(rules, RulesSection)
            yield (
                f"{place}.backfill: the rules {rules.profile} let a table report one way"
                f' (feed_direction = "{FeedDirection.ONE_WAY.value}"), and a request comes the'
                " other way. Allowed: false. Remedy: remove it; sealed shoes are in the archive"
            )
        settings = one.settings(folder)
        files = {
            "ca": settings.ca,
            "client_certificate": settings.certificate,
            "client_key": settings.key,
            "password_file": settings.password_file,
        }
        for key, path in files.items():
            if path is not None and not path.is_file():
                yield f"{place}.{key}: {path} is not a file. Remedy: correct the path"


def _one_way(rules: RulesSection, folder: Path) -> bool:
    return load_profile(rules.profile, folder).rules.feed_direction is FeedDirection.ONE_WAY
