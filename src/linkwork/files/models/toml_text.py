"""Plain data → TOML text: tables by their paths, everything else in lines of `key = value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from linkwork.core.plain_data import Data

WIDTH = 110
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Inline(dict[str, Any]):
    """A table that stands in one line."""


def written(content: Data) -> str:
    """A whole file; Mappings are tables of their own, `Inline` ones stand in a line."""
    return "\n".join(_table((), content)).strip() + "\n"


def _table(path: tuple[str, ...], content: Data) -> Iterator[str]:
    own = {key: value for key, value in content.items() if not _is_table(value)}
    if path and (own or not content):
        yield f"\n[{'.'.join(map(key_text, path))}]"
    for key, value in own.items():
        yield f"{key_text(key)} = {value_text(value, len(key) + 3)}"
    for key, value in content.items():
        if _is_table(value):
            yield from _table((*path, key), value)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) and not isinstance(value, Inline)


def key_text(key: str) -> str:
    """A key, in quotes where it must be."""
    return key if _BARE.match(key) else string(key)


def string(text: str) -> str:
    """A text in quotes."""
    escaped = "".join(_ESCAPES.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in text)
    return f'"{escaped}"'


def value_text(value: Any, used: int = 0) -> str:
    """A value; used: characters of the line that are taken already."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items()) + "}"
    items = [value_text(x) for x in value]
    one = f"[{', '.join(items)}]"
    if len(one) + used <= WIDTH:
        return one
    if all(isinstance(x, int | float) for x in value):
        return "[\n" + "\n".join(_filled(items)) + "\n]"
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def _filled(items: list[str]) -> Iterator[str]:
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            yield line
            line = "   "
        line += f" {item},"
    yield line
