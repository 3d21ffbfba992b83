"""Rigid contacts as `check` sees them: at the start, before anything moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.contact.contact_solver import APART, INSIDE, PLACED
from linkwork.contact.manifolds import chooser_of

if TYPE_CHECKING:
    from linkwork.analyses.check.check import Report


def inspect_contacts(report: Report, numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> None:
    """Tell the report which touch at the start, and which cannot be there."""
    eq = numbers.eq
    places = [c for c in eq.contacts.places if c.opens]
    if not places:
        return
    chooser, y = chooser_of(numbers.model, eq, lambda t: numbers.p), np.concatenate([q, v, z])
    if chooser:
        y = chooser.choose(numbers.t, y)
    gaps = numbers.values(y, ca.vertcat(*(c.gap for c in places)))[0].ravel()
    placed = PLACED * eq.states.length
    for place, gap in zip(places, gaps, strict=True):
        if gap < -placed:
            report.add("error", place.name, f"{INSIDE.format(-gap)} {APART}")
    touching = int(np.sum(np.abs(gaps) <= placed))
    noun = "place" if len(places) == 1 else "places"
    report.add("ok", numbers.model.name, f"{len(places)} {noun} of rigid contact, touching at the start: {touching}")
