"""Edit config.toml: change one setting, keep comments and layout."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from hardwon.core import _files
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import PREFIX, Settings, file_content, load, parse, variables

NAME = "config.toml"
_OTHER = ("HOME", "LOOP")  # variables of hardwon that are no settings
_HEADER = r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?"


def unknown_settings(values: Settings, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Unknown settings: `section.name` in the file, and HARDWON_ variables."""
    settings_known = {
        row[0]: variables(*row[0].split(".")) for row in values.rows() if "." in row[0]
    }
    file = file_content(os.path.join(values.home, NAME))
    keys = [
        f"{section}.{name}" if name else section
        for section, group in file.items()
        for name in (group if isinstance(group, dict) else [""])
    ]
    ours = {PREFIX + name for name in _OTHER}.union(*settings_known.values())
    strange = [name for name in environ if name.startswith(PREFIX) and name not in ours]
    return [*(name for name in keys if name not in settings_known), *strange]


def set_setting(home: str, key: str, value: str) -> str:
    """Write `section.name` into config.toml; returns the value as written there.

    Raises InvalidInput for an unknown setting or a value of the wrong kind; nothing is written.
    """
    parsed = parse(key, value, _default(home, key))
    if isinstance(parsed, bool | int | float):
        literal = str(parsed).lower()
    else:
        text = format_value(parsed) if isinstance(parsed, timedelta) else str(parsed)
        literal = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    _edit(home, key, literal)
    return literal


def unset_setting(home: str, key: str) -> bool:
    """Remove `section.name` from config.toml; False if it was not set there."""
    _default(home, key)
    return _edit(home, key, None)


def format_value(value: Any) -> str:
    """A value in the form for config.toml or an environment variable."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, timedelta):
        return str(value)
    parts = value // timedelta(microseconds=1)
    sizes = (("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000))
    unit, size = next((pair for pair in sizes if parts and parts % pair[1] == 0), ("ms", 1000))
    return f"{parts / size:g}{unit}"


def _edit(home: str, key: str, literal: str | None) -> bool:
    def edit(text: str | None) -> str | None:
        edited = edit_text(text or "", key, literal)
        return text if text is None and not edited else edited

    path = os.path.join(home, NAME)
    if literal is not None:
        _files.make_folder(home)
    place = os.path.dirname(os.path.realpath(path))  # a person may have put a link in its place
    change = _files.update_text(path, edit, root=place)
    return change.before != change.after


def edit_text(text: str, key: str, literal: str | None) -> str:
    """The text with one setting changed, or removed if `literal` is None.

    Raises InvalidInput for a layout that cannot be edited without changing other settings.
    """
    section, _, name = key.partition(".")
    lines = text.splitlines()
    changed = "\n".join(_changed_lines(lines, section, name, literal))
    changed = f"{changed}\n" if changed else ""
    wanted = tomllib.loads(text)
    if literal is not None:
        value = tomllib.loads(f"value = {literal}")["value"]
        wanted[section] = {**wanted.get(section, {}), name: value}
    elif section in wanted:
        wanted[section] = {k: v for k, v in wanted[section].items() if k != name}
    try:
        is_right = tomllib.loads(changed) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise InvalidInput(f"{NAME} has a layout that cannot be edited here; set {key} by hand")
    return changed


def _changed_lines(lines: list[str], section: str, name: str, literal: str | None) -> list[str]:
    start, end = _span(lines, section)
    setting = re.compile(rf"\s*{re.escape(name)}\s*=")
    place = next((at for at in range(start, end) if setting.match(lines[at])), None)
    row = [] if literal is None else [f"{name} = {literal}"]
    if place is not None:
        return [*lines[:place], *_kept_comment(lines[place], row), *lines[place + 1 :]]
    if start > 0:
        while end > start and not lines[end - 1].strip():
            end -= 1
        return [*lines[:end], *row, *lines[end:]]
    gap = [""] if lines and lines[-1].strip() else []
    return [*lines, *gap, f"[{section}]", *row] if row else lines


def _span(lines: list[str], section: str) -> tuple[int, int]:
    """The range of lines below the section's header; (0, 0) if there is no such section."""
    headers = [
        (at, match[1]) for at, line in enumerate(lines) if (match := re.fullmatch(_HEADER, line))
    ]
    for place, (at, header) in enumerate(headers):
        if header == section:
            return at + 1, headers[place + 1][0] if place + 1 < len(headers) else len(lines)
    return 0, 0


def _kept_comment(old: str, row: list[str]) -> list[str]:
    """The new row with the comment of the old one, if the comment is clearly one."""
    word = r"[^\"'#\s]++"
    value = rf"\"[^\"\\]*+\"|'[^']*+'|(?:{word}(?:\s++{word})*)?"
    match = re.fullmatch(rf"[^\"'#=]*+=\s*+(?:{value})(\s*+#.*)", old)
    return [f"{row[0]}{match[1]}"] if row and match else row


def _default(home: str, key: str) -> Any:
    section, _, name = key.partition(".")
    group: Any = getattr(load(home, environ={}), section, None)
    if not name or name not in getattr(group, "_fields", ()):
        raise InvalidInput(f"{key!r} is not a setting; `hardwon config` lists them")
    return getattr(group, name)
