"""What tells Equations from all others, as far as the functions of a Program are concerned.

Code is kept on disk under what it was made from. To write out a function only to find that its code is there already
costs more than all else in a process that runs a model again. But functions follow from equations, and those are short:
their text, with that of this package, stands for all functions that are derived from them.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache as once
from pathlib import Path
from typing import Final, TypeAlias

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import Order
from linkwork.compile.cache import directory, key_of
from linkwork.core import BEGUN
from linkwork.core.equations import Equations, Row
from linkwork.geometry import SX

Plain: TypeAlias = str | int | float | bool | None | list["Plain"]


Note: TypeAlias = Callable[[SX | ca.DM], Plain]


class _Unknown(Exception):
    """Something that cannot be written down, or costs too much, as deferred expressions do."""


GIVEN: Final = "identity"
"""Under which equations remember it, where it is known."""


def identity_of(eq: Equations) -> str | None:
    """None: they hold something that cannot be written down, and functions must speak for themselves; or nothing is
    kept."""
    if directory() is None:
        return None
    known: str | None = eq.memory.get(GIVEN)
    return text_identity(eq) if known is None else known


def text_identity(eq: Equations) -> str | None:
    """That of their own text."""
    expressions: list[SX] = []

    def note(x: SX | ca.DM) -> Plain:
        expressions.append(SX(x) if isinstance(x, ca.DM) else x)  # numbers, where nothing varies: rates of no states
        return "expression"

    rest = plain_of(eq, note)
    if rest is None:
        return None
    step, symbols = SX.sym("step", eq.v.numel()), eq.symbols
    arguments = [eq.t, eq.q, eq.v, eq.z, symbols.parameters, symbols.inputs, eq.a, eq.multipliers, step]
    courses = eq.signals.courses
    if courses is not None and courses.taken:
        known = {s.element_hash() for s in ca.vertsplit(eq.p)}
        arguments += [] if courses.time.element_hash() in known else [courses.time]
    options = {"allow_free": True, "max_io": 0}  # as many results as there are: CasADi would warn of thousands
    f = ca.Function("identity", arguments, [*expressions, eq.motion.retract(eq.q, step)], options)
    return None if f.has_free() else key_of(package(), repr(rest), f.serialize())


def plain_of(eq: Equations, note: Note) -> Plain:
    """All that functions read of equations as text can hold it, note: what stands for an expression; None: they hold
    something else, too."""
    if eq.contacts.closure is not None or eq.contacts.places or eq.contacts.push is not None:
        return None
    try:
        return _plain(_read(eq), note)
    except _Unknown:
        return None


def _read(eq: Equations) -> list[object]:
    """All that `Functions` reads, but for the symbols."""
    motion, constraints, courses = eq.motion, eq.constraints, eq.signals.courses
    return [
        [motion.qdot, motion.mass, motion.force, motion.zdot, motion.explicit, motion.order],
        [constraints.position, constraints.velocity, constraints.jacobian, constraints.gamma, constraints.rows],
        [constraints.singular_rows, constraints.projected, constraints.margins],
        [eq.algebraic.improved, eq.states.names, sorted(eq.states.held), eq.states.steps],
        [value for _, value in eq.observation.outputs.values()],
        [value for _, value in eq.observation.events],
        [value for _, value in eq.observation.probes.values()],
        courses is not None and bool(courses.taken),
    ]


def _plain(value: object, note: Note) -> Plain:
    """A value as text can hold it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, SX | ca.DM):
        return note(value)
    if isinstance(value, np.ndarray | np.generic):
        return ["array", *np.shape(value), *np.ravel(value).tolist()]
    if isinstance(value, Mapping):
        return ["mapping", *(_plain([key, x], note) for key, x in value.items())]
    if isinstance(value, list | tuple | range):
        return [_plain(x, note) for x in value]
    if is_dataclass(value) and isinstance(value, Order | Row):
        return [type(value).__name__, *(_plain(getattr(value, f.name), note) for f in fields(value))]
    raise _Unknown


@once
def package() -> str:
    """Names, sizes and times of all files of this package, and what it stands on: other code may derive others.

    One that was written since this process has begun may have been read before: what is derived here then has a name
    that no other process looks for.
    """
    digest, now = hashlib.sha256(), time.time_ns()
    for folder, _, names in sorted(os.walk(Path(__file__).parents[1])):
        for name in sorted(name for name in names if name.endswith((".py", ".so", ".pyd"))):
            facts = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
            if BEGUN < facts.st_mtime_ns <= now:
                digest.update(f"{os.getpid()} {now}\n".encode())
    return f"{ca.CasadiMeta.version()} {np.__version__} {sys.version} {digest.hexdigest()}"
