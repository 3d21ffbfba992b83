"""Which channels a figure shows: names, patterns, lists of them, or what is worth a first look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from linkwork.core import names
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.result import Result

_WILD = frozenset("*?[")


def chosen(result: Result, patterns: Iterable[str]) -> list[str]:
    """Names of the channels that match, each once, in the order asked for; commas may stand between patterns."""
    matches: dict[str, None] = {}
    for text in patterns:
        for pattern in _parts(result, text):
            try:
                matches.update(dict.fromkeys(result.names(pattern)))
            except UnknownName:
                if not _WILD & set(pattern):
                    raise
                raise _nothing_matches(result, pattern) from None
    return list(matches)


def grouped(result: Result, channels: Sequence[str | Sequence[str]]) -> list[tuple[str, list[str]]]:
    """(unit, names) of each panel: channels of equal unit together; a list of channels has panels of its own."""
    loose: list[str] = []
    wanted: list[Iterable[str]] = []
    for item in channels:
        if isinstance(item, Iterable) and not isinstance(item, str):
            wanted.append(item)
        else:
            if not loose:
                wanted.append(loose)  # all single channels together, where the first of them stands
            loose.append(item)
    groups: list[tuple[str, list[str]]] = []
    for patterns in wanted:
        by_unit: dict[str, list[str]] = {}
        for name in chosen(result, patterns):
            by_unit.setdefault(result.unit(name), []).append(name)
        groups += by_unit.items()
    return groups


def suggested(result: Result) -> list[str]:
    """The channels to look at first: what the run says it shows, else joint coordinates and energies, else anything."""
    if result.record.get("show"):
        return chosen(result, result.record["show"])
    joints = result.description.get("joints", {})
    coordinates = [name for name in result if names.split(name, joints)[0] in joints and f"{name}.rate" in result][:4]
    energies = [name for name in result if name.startswith("energy.")]
    return coordinates + energies or list(result)[:4]


def _parts(result: Result, text: object) -> list[str]:
    if not isinstance(text, str):
        remedy = 'Give names or patterns, such as "O.reaction.*".'
        raise LinkworkError(
            f"{text!r} is not a name of a channel.", component=result.record.get("model"), remedy=remedy
        )
    if text in result:
        return [text]
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        remedy = f'Give a name, such as "{next(iter(result), "piston.x")}", or a pattern, such as "O.reaction.*".'
        raise LinkworkError(f"{text!r} names no channel.", component=result.record.get("model"), remedy=remedy)
    return parts


def _nothing_matches(result: Result, pattern: str) -> UnknownName:
    """Nearest pattern that finds something: the same one with a component that exists."""
    owner, dot, rest = pattern.partition(".")
    owners = sorted({name.partition(".")[0] for name in result})
    # One letter is never close to another: of such short names all are tried.
    near = get_close_matches(owner, owners, n=len(owners) or 1, cutoff=0.5) or owners
    better = [f"{o}{dot}{rest}" for o in near if any(fnmatchcase(name, f"{o}{dot}{rest}") for name in result)]
    return UnknownName("channel", pattern, better[:3] if better and owner not in owners else result)
