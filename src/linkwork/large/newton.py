"""What one kind of component adds to the equations that an implicit method solves, and to their Newton matrix.

Rows and unknowns go together: q with q̇ = H v, v with v̇ = a, z with ż = g, a with M a + Aᵀλ = f, λ with A a = γ. Both
are taken from the prototype's equations as straight-line code takes them from those of a whole model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.compile.implicit import GeneralizedAlpha, Index1
from linkwork.geometry import SX
from linkwork.large.kernel import Entry, Kernel
from linkwork.large.kernels import Kind

ACCOUNT = "account"
"""What an unknown is that all components share: work lost or supplied, by its number among the states of the kind."""


@dataclass(frozen=True)
class Share:
    """Of one kind, in the equations of a method."""

    unknowns: tuple[Entry, ...]
    """What its unknowns are, and so its rows."""
    rows: np.ndarray
    """Those of its rows that are not empty."""
    residual: Kernel | None
    entries: tuple[np.ndarray, np.ndarray]
    """Row and column of each entry of the derivative."""
    derivative: Kernel | None


Method = Callable[[Kind], Share]


def index1(kind: Kind) -> Share:
    """In [q, v, z, a, λ]."""
    return _once(kind, "dae", _index1)


def generalized_alpha(kind: Kind) -> Share:
    """In [a, ż, λ]; the rates of what all components share are left out."""
    return _once(kind, "alpha", _generalized_alpha)


def _once(kind: Kind, name: str, derived: Method) -> Share:
    if name not in kind.shares:
        kind.shares[name] = derived(kind)
    share = kind.shares[name]
    assert isinstance(share, Share)
    return share


def _index1(kind: Kind) -> Share:
    eq, form = kind.eq, Index1(kind.eq)
    unknowns = [*_entries("q", eq.q), *_entries("v", eq.v), *_states(kind), *_entries("a", eq.a)]
    own = np.ones(form.Y.numel(), dtype=bool)
    moving = eq.q.numel() + eq.v.numel()
    own[:moving] = kind.is_body
    own[[moving + k for k in kind.borrowed]] = False
    return _share(
        kind, "dae", [*unknowns, *_entries("multipliers", eq.multipliers)], form.residual(), form.derivative(), own
    )


def _generalized_alpha(kind: Kind) -> Share:
    eq, form = kind.eq, GeneralizedAlpha(kind.eq)
    kind.know(form.chain, "chain")
    kind.know(ca.vertcat(SX(0, 1), *(form.zdot[k] for k in kind.own_states)), "zdot")
    shared = ca.vertcat(SX(0, 1), *(form.zdot[k] for k in kind.accounts.values()))
    residual, derivative = form.residual(), form.derivative()
    if shared.numel():
        residual = ca.substitute(residual, shared, SX.zeros(shared.numel(), 1))
        for k in kind.accounts.values():
            derivative[:, eq.a.numel() + k] = SX(derivative.shape[0], 1)
    unknowns = [*_entries("a", eq.a), *_states(kind), *_entries("multipliers", eq.multipliers)]
    own = np.ones(len(unknowns), dtype=bool)
    own[[eq.a.numel() + k for k in kind.borrowed]] = False
    return _share(kind, "alpha", unknowns, residual, derivative, own)


def _share(kind: Kind, name: str, unknowns: list[Entry], residual: SX, derivative: SX, own: np.ndarray) -> Share:
    """own: rows that are no others'."""
    residual, derivative = kind.alone([ca.densify(residual), ca.sparsify(derivative)])
    derivative = ca.sparsify(derivative)
    rows = np.array([k for k in range(residual.numel()) if own[k] and not residual[k].is_zero()], dtype=np.int64)
    i, j = (np.array(x, dtype=np.int64) for x in derivative.sparsity().get_triplet())
    kept = np.flatnonzero(own[i]) if i.size else i
    values = [derivative.nz[int(k)] for k in kept]
    return Share(
        tuple(unknowns),
        rows,
        kind.kernel(f"{name}_residual", [residual[int(k)] for k in rows]),
        (i[kept], j[kept]),
        kind.kernel(f"{name}_jacobian", values),
    )


def _entries(what: str, symbols: SX) -> list[Entry]:
    return [(what, k) for k in range(symbols.numel())]


def _states(kind: Kind) -> list[Entry]:
    states: dict[int, Entry] = {k: ("z", n) for n, k in enumerate(kind.own_states)}
    states |= {k: ("borrowed", n) for n, k in enumerate(kind.borrowed)}
    return [states.get(k, (ACCOUNT, k)) for k in range(kind.eq.z.numel())]
