"""Impacts: speeds that jump by impulses under all constraints, with restitution by energy and Coulomb's friction.

Contacts that approach, and closed ones, share one impact; contacts that merely come together by it have theirs
afterwards. So a row of balls passes a shock on from ball to ball, while a box lands on both edges at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.contact.complementarity import ContactRows
from linkwork.contact.delassus import Snapshot
from linkwork.contact.restitution import one_contact, several_contacts

ROUNDS = 1000
"""Impacts at one instant; after these, nothing rebounds any more."""
APPROACH = 1e-12
"""Speed [lengths of the mechanism per second] that counts as an approach."""


@dataclass
class Struck:
    """What an impact has done: impulses [N·s] by row of the contacts, energy lost [J], contacts that were hit."""

    impulse: np.ndarray
    loss: float = 0.0
    hit: list[int] = field(default_factory=list)
    settling: dict[int, float] = field(default_factory=dict)
    """Rebound speed [m/s] of contacts that stay closed, because it is below their limit."""


def strike(
    now: Snapshot,
    seats: Mapping[int, ContactRows],
    loaded: list[int],
    restitution: np.ndarray,
    rest: np.ndarray,
    length: float = 1.0,
) -> Struck:
    """seats: contacts that touch, by number; loaded: those of them that were closed; restitution, rest: of all.

    length: of the mechanism [m].
    """
    done = Struck(np.zeros(now.speeds.size))
    u, W = now.speeds.copy(), now.delassus
    for turn in range(ROUNDS + 1):
        coming = [k for k, seat in seats.items() if u[seat.normal] < -APPROACH * length]
        if turn == 0:
            coming = [k for k in coming if k not in loaded or u[seats[k].normal] < -0.1 * rest[k]]
        if not coming:
            break
        together = [*coming, *(k for k in loaded if k not in coming)] if turn < ROUNDS else list(seats)
        e = np.zeros(len(together))
        for n, k in enumerate(coming):
            back = -restitution[k] * u[seats[k].normal]
            if back > rest[k] and turn < ROUNDS:
                e[n] = restitution[k]
                done.settling.pop(k, None)
            elif restitution[k] > 0:
                done.settling[k] = back
        rows = [r for k in together for r in _rows(seats[k])]
        P, response = np.zeros(u.size), W[np.ix_(rows, rows)]
        alone = one_contact(response, u[rows], seats[together[0]].friction, e[0]) if len(together) == 1 else None
        P[rows] = several_contacts(response, u[rows], _renumbered(seats, together, rows), e) if alone is None else alone
        after = u + W @ P
        done.loss -= float(P @ (u + after)) / 2
        done.impulse += P
        done.hit += [k for k in coming if k not in done.hit]
        u = after
    return done


def _rows(seat: ContactRows) -> list[int]:
    return [*([] if seat.normal is None else [seat.normal]), *seat.tangential]


def _renumbered(seats: Mapping[int, ContactRows], which: list[int], rows: list[int]) -> list[ContactRows]:
    """The same contacts with rows counted among those that take part."""
    place: dict[int | None, int | None] = {None: None, **{row: n for n, row in enumerate(rows)}}
    return [
        replace(
            seats[k],
            normal=place[seats[k].normal],
            tangential=tuple(rows.index(r) for r in seats[k].tangential),
        )
        for k in which
    ]
