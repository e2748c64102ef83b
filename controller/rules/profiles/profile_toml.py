"""Writes a complete profile as TOML that parse_profile reads back as an equal profile.

Not: the comments of the shipped files, which are lost.
Source: README, "Profiles".
"""

import json

from controller.rules.profiles.profile import Grounds, Profile, ProfileValue
from controller.rules.profiles.setting_types import SettingValue


def render_profile(profile: Profile) -> str:
    """The complete profile as TOML."""
    head = [
        ("name", profile.name),
        ("title", profile.title),
        ("source", profile.source),
        ("own_clauses", profile.own_clauses),
    ]
    if profile.base:
        head.insert(1, ("base", profile.base))
    lines = [f"{key} = {_text(value)}" for key, value in head]
    lines += ["", "[values]", *map(_value, profile.values), "", "[citations]"]
    lines += [f"{one.point} = {{ {_grounds(one.grounds)} }}" for one in profile.citations]
    return "\n".join(lines) + "\n"


def _value(value: ProfileValue) -> str:
    grounds = _grounds(Grounds(value.basis, value.assumed, value.borrowed, value.reason))
    house = "house = true" if value.house else ""
    parts = (f"value = {_toml(value.value)}", house, grounds)
    return f"{value.name} = {{ {', '.join(part for part in parts if part)} }}"


def _grounds(grounds: Grounds) -> str:
    parts = (
        f"basis = {_toml(grounds.basis)}" if grounds.basis else "",
        "assumed = true" if grounds.assumed else "",
        f"borrowed = {_toml(grounds.borrowed)}" if grounds.borrowed else "",
        f"reason = {_text(grounds.reason)}" if grounds.reason else "",
    )
    return ", ".join(part for part in parts if part)


def _toml(value: SettingValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return _text(value) if isinstance(value, str) else str(value)


def _text(text: str) -> str:
    """A TOML basic string; text here is printable, so JSON escapes the same characters."""
    return json.dumps(text, ensure_ascii=False)
