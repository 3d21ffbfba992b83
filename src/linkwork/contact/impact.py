"""Impacts: speeds that jump by impulses under all constraints, with restitution by energy and Coulomb's friction.

Contacts that approach, and closed ones, share one impact; contacts that merely come together by it have theirs
afterwards. So a row of balls passes a shock on from ball to ball, while a box lands on both edges at once. A shock
would run up and down a stack for ever: a contact that has sprung back so often that next to nothing is left of it does
so no more, and where nothing springs back, all that touches is solved together (Moreau).
"""

from __future__ import annotations

from collections import Counter
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
ECHO = 1e-2
"""Share eᴷ of a shock that is left after K impacts of one contact at one instant, below which it springs back no
more."""
HINT = 1e-9
"""Share of the fastest slip by which bodies that jam approach each other, so that an impulse has something to end."""


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
    contacts: Mapping[int, ContactRows],
    loaded: list[int],
    restitution: np.ndarray,
    rest: np.ndarray,
    length: float = 1.0,
) -> Struck:
    """contacts: those that touch, by number; loaded: those of them that were closed; restitution, rest: of all.

    length: of the mechanism [m].
    """
    done = Struck(np.zeros(now.speeds.size))
    u, W = now.speeds.copy(), now.delassus
    struck: Counter[int] = Counter()
    for turn in range(ROUNDS + 1):
        coming = [k for k, contact in contacts.items() if u[contact.normal] < -APPROACH * length]
        if turn == 0:
            coming = [k for k in coming if k not in loaded or u[contacts[k].normal] < -0.1 * rest[k]]
        if not coming:
            break
        e = {}
        for k in coming:
            back = -restitution[k] * u[contacts[k].normal]
            if back > rest[k] and restitution[k] ** struck[k] > ECHO and turn < ROUNDS:
                e[k] = restitution[k]
                struck[k] += 1
                done.settling.pop(k, None)
            elif restitution[k] > 0:
                done.settling[k] = back if back <= rest[k] else 0.0
        spent = [k for k in contacts if restitution[k] ** struck[k] <= ECHO]
        together = [*coming, *(k for k in ({*loaded, *spent} if e else contacts) if k not in coming)]
        P = _impulses(W, u, contacts, together, np.array([e.get(k, 0.0) for k in together]))
        after = u + W @ P
        done.loss -= float(P @ (u + after)) / 2
        done.impulse += P
        pushed = [k for k in together if k in coming or (k not in loaded and P[contacts[k].normal] > 0)]
        done.hit += [k for k in pushed if k not in done.hit]
        u = after
    return done


def jolt(now: Snapshot, contacts: Mapping[int, ContactRows], pull: np.ndarray) -> np.ndarray | None:
    """Impulses [N·s] that end a slip which no forces can go on with (Painlevé): an impact without collision.

    pull: accelerations of the contacts [m/s²]; they say which way things would go. None: no jump ends it.
    """
    u, W = now.speeds, now.delassus
    fastest = max((float(np.abs(u[_rows(contact)]).max()) for contact in contacts.values()), default=0.0)
    strongest = float(np.abs(pull).max(initial=0.0))
    if fastest <= 0 or strongest <= 0:
        return None
    P = _impulses(W, u + HINT * fastest / strongest * pull, contacts, list(contacts), np.zeros(len(contacts)))
    return P if float(np.abs(W @ P).max()) > 1e3 * HINT * fastest else None


def _impulses(
    W: np.ndarray, u: np.ndarray, contacts: Mapping[int, ContactRows], together: list[int], e: np.ndarray
) -> np.ndarray:
    """Of one impact that these contacts share, by row of all contacts [N·s]."""
    rows = [r for k in together for r in _rows(contacts[k])]
    P, response = np.zeros(u.size), W[np.ix_(rows, rows)]
    alone = one_contact(response, u[rows], contacts[together[0]].friction, e[0]) if len(together) == 1 else None
    P[rows] = several_contacts(response, u[rows], _renumbered(contacts, together, rows), e) if alone is None else alone
    return P


def _rows(contact: ContactRows) -> list[int]:
    return [*([] if contact.normal is None else [contact.normal]), *contact.tangential]


def _renumbered(contacts: Mapping[int, ContactRows], which: list[int], rows: list[int]) -> list[ContactRows]:
    """The same contacts with rows counted among those that take part."""
    place: dict[int | None, int | None] = {None: None, **{row: n for n, row in enumerate(rows)}}
    return [
        replace(
            contacts[k],
            normal=place[contacts[k].normal],
            tangential=tuple(rows.index(r) for r in contacts[k].tangential),
        )
        for k in which
    ]
