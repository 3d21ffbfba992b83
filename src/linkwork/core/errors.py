"""Errors that name the component, the cause and the remedy."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from typing import Any


class LinkworkError(Exception):
    """Base of every error a user can cause.

    The text has three parts: which component, what is wrong with it, and what to do about it.
    """

    def __init__(self, cause: str, *, component: str | None = None, remedy: str | None = None):
        self.component, self.cause, self.remedy = component, cause, remedy
        text = f"{component}: {cause}" if component else cause
        super().__init__(f"{text} {remedy}" if remedy else text)

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and other processes get the error with all its fields, whatever arguments its class is made from."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[LinkworkError], texts: tuple[str, ...], fields: dict[str, object]) -> LinkworkError:
    error = kind.__new__(kind, *texts)
    error.args = texts
    error.__dict__.update(fields)
    return error


class ModelError(LinkworkError):
    """The description of the mechanism is wrong (mass, inertia, joint, name)."""


class AssemblyError(LinkworkError):
    """No consistent start position or speed exists, or none was found."""


class IntegrationError(LinkworkError):
    """The integration stopped early; `partial` holds the Result up to that time."""

    def __init__(self, cause: str, *, partial: Any = None, component: str | None = None, remedy: str | None = None):
        super().__init__(cause, component=component, remedy=remedy)
        self.partial = partial


class LinkworkWarning(UserWarning):
    """A run finished, but the watch found something that its reader must know (see `Result.warnings`)."""


def callers_level() -> int:
    """The `stacklevel` of a warning by which it points to the caller of this package, however deep it is raised."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "linkwork":
        level, frame = level + 1, frame.f_back
    return level


class UnknownName(LinkworkError, KeyError):
    """A channel, parameter, component or example that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, component: str | None = None):
        self.name, self.known = name, sorted(known)
        close = difflib.get_close_matches(str(name), self.known, n=3, cutoff=0.5)
        if close:
            remedy = f"Did you mean {' or '.join(map(repr, close))}?"
        elif self.known:
            shown = ", ".join(self.known[:8])
            remedy = f"Known: {shown}{', …' if len(self.known) > 8 else ''}."
        else:
            remedy = f"There is no {kind} here at all."
        super().__init__(f"there is no {kind} named {name!r}.", component=component, remedy=remedy)

    __str__ = Exception.__str__  # KeyError would print the repr
