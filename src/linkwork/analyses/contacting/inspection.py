"""Rigid contacts as `check` sees them: at the start, before anything moves."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from linkwork.analyses.contacting.manifolds import chooser_of
from linkwork.analyses.contacting.referee import APART, INSIDE, PLACED
from linkwork.analyses.numeric import Numbers


def inspect_contacts(report: Any, numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> None:
    """Tell the report which touch at the start, and which cannot be there."""
    eq = numbers.eq
    places = [c for c in eq.contacts.places if c.opens]
    if not places:
        return
    chooser, y = chooser_of(numbers.model, eq, lambda t: numbers.p), np.concatenate([q, v, z])
    if chooser:
        y = chooser.choose(numbers.t, y)
    gaps = numbers.values(y, ca.vertcat(*(c.gap for c in places)))[0].ravel()
    for place, gap in zip(places, gaps, strict=True):
        if gap < -PLACED:
            report.add("error", place.name, f"{INSIDE.format(-gap)} {APART}")
    touching = int(np.sum(np.abs(gaps) <= PLACED))
    noun = "place" if len(places) == 1 else "places"
    report.add("ok", numbers.model.name, f"{len(places)} {noun} of rigid contact, touching at the start: {touching}")
