"""A text that says something new, with its comments: values are exchanged where they stand, parts come last or go."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from linkwork.core.plain_data import Record
from linkwork.files.models.places import Places
from linkwork.files.models.toml_text import key_text, value_text
from linkwork.studio.server.document import text_of

Keys = tuple[str, ...]
_GONE = object()
_HEADING = re.compile(
    r"""^[ \t]*\[((?:[^\[\]\n\#"']|"(?:\\.|[^"\\\n])*"|'[^'\n]*')+)\][ \t]*(?:\#[^\n]*)?$""", re.MULTILINE
)


def edited(text: str, data: Record) -> str:
    """The text of a model file that says `data`. One that has comments keeps them, as far as that can be verified: what
    comes out is read again, and where it does not say exactly this, all is written anew."""
    if "#" not in text:
        return text_of(data)
    try:
        draft = text
        for keys, value in _changes(tomllib.loads(text), data, ()):
            draft = _applied(draft, keys, value)
        return draft if _same(tomllib.loads(draft), data) else text_of(data)
    except (tomllib.TOMLDecodeError, _Unpatched):
        return text_of(data)


class _Unpatched(Exception):
    """A change that is not made in place."""


def _changes(old: Record, new: Record, above: Keys) -> Iterator[tuple[Keys, object]]:
    for key in old:
        if key not in new:
            yield (*above, key), _GONE
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            yield from _changes(old[key], value, (*above, key))
        elif key not in old or old[key] != value or type(old[key]) is not type(value):
            yield (*above, key), value


def _applied(text: str, keys: Keys, value: object) -> str:
    span = Places(text).span(keys)
    if value is not _GONE and span is not None:
        return f"{text[: span[0]]}{value_text(value)}{text[span[1] :]}"
    if value is not _GONE and len(keys) == 2 and keys[0] == "component" and isinstance(value, dict):
        return f"{text.rstrip()}\n\n{text_of({'component': {keys[1]: value}})}"
    if value is not _GONE and not isinstance(value, dict):
        return _inserted(text, keys, f"{key_text(keys[-1])} = {value_text(value)}\n")
    if value is _GONE:
        return _without(text, keys, span)
    raise _Unpatched


def _inserted(text: str, keys: Keys, line: str) -> str:
    """A new line right below the heading of its table."""
    for heading in _headings(text):
        if _path(heading) == keys[:-1]:
            end = text.find("\n", heading.end())
            return f"{text[: end + 1]}{line}{text[end + 1 :]}" if end >= 0 else f"{text}\n{line}"
    raise _Unpatched


def _without(text: str, keys: Keys, span: tuple[int, int] | None) -> str:
    if span is not None:  # a line of its own, or what is left is no TOML and all is written anew
        begin, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
        return text[:begin] + (text[end + 1 :] if end >= 0 else "")
    headings = list(_headings(text))
    for k in reversed(range(len(headings))):
        if _path(headings[k])[: len(keys)] == keys:
            end = headings[k + 1].start() if k + 1 < len(headings) else len(text)
            text = text[: headings[k].start()] + text[end:]
    return text


def _headings(text: str) -> list[re.Match[str]]:
    """Lines that look like one; a text in three quotes may hold such a line, which is why all is verified."""
    return list(_HEADING.finditer(text))


def _path(heading: re.Match[str]) -> Keys:
    try:
        inner = tomllib.loads(f"{heading[1].strip()} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    keys: list[str] = []
    while isinstance(inner, dict):
        key, inner = next(iter(inner.items()))
        keys.append(key)
    return tuple(keys)


def _same(patched: Record, data: Record) -> bool:
    """Content and types, and the order of components, in which they are made."""
    return _typed(patched) == _typed(data) and list(patched.get("component", {})) == list(data.get("component", {}))


def _typed(content: object) -> object:
    """1 and 1.0 and true are not the same here; empty tables say nothing."""
    if isinstance(content, dict):
        return {key: _typed(x) for key, x in content.items() if x != {}}
    return [_typed(x) for x in content] if isinstance(content, list) else (type(content).__name__, content)
