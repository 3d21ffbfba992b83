"""`verify=True`: a second run, tighter and in another formulation, and the digits on which both agree."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError, LinkworkWarning
from linkwork.core.finding import Finding
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.core.verification import Verification
from linkwork.simulation import deviations as between
from linkwork.simulation.prepare import COMPLIANT_FORMULATIONS

if TYPE_CHECKING:
    from linkwork.core.model import Model

TIGHTER = 100.0
"""By how much the tolerances of the second run are smaller."""
FINEST = 1e-13
"""Smallest rtol that a run can still follow."""
SHORTER = 4.0
"""By how much fixed steps are shorter."""
DOUBLE_DIGITS = 16.0
"""Digits that a number has."""
DOUBTFUL_DIGITS = 3.0
"""Digits of the motion below which the run is told to be in doubt."""
ROUNDING = 1e-12
"""Share of the largest value of a group of channels that is nothing but rounding."""
MOTION = ("positions", "speeds", "joint coordinates")


def verified(model: Model, duration: float, result: Result, options: Record) -> Verification:
    """Run again and compare; options: of the first run, as `simulate` got them."""
    first = result.record["formulation"]
    tighter = options | {"rtol": max(options["rtol"] / TIGHTER, FINEST), "atol": options["atol"] / TIGHTER}
    if tighter.get("step") is not None:
        tighter["step"] /= SHORTER
    tighter["output"] = np.array(np.unique(result.t))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkworkWarning)  # the first run has told its own
        again = _run(model, duration, tighter, _others(first))
    names = _alive(between.comparable(result, again, result.record.get("undetermined reactions", ())), result, again)
    apart = {name: between.deviation(result, again, name) for name in names}
    groups = between.by_group(apart, again)
    return Verification(
        again.record["formulation"],
        again.record["solver"],
        tighter["rtol"],
        {group: _digits(d.relative) for group, d in groups.items() if not np.isnan(d.relative)},
        {name: _digits(d.relative) for name, d in apart.items() if not np.isnan(d.relative)},
    )


def _alive(names: Iterable[str], first: Result, second: Result) -> list[str]:
    """Those that are more than rounding beside the others of their group, as a moment that a free pin does not take
    is not, and more than what the run may be off by: where everything rests, there are no digits to count."""
    size = {name: max(np.abs(r[name]).max(initial=0.0) for r in (first, second)) for name in names}
    groups = {name: between.group_of(name, first) for name in size}
    largest = {g: max(x for name, x in size.items() if groups[name] == g) for g in set(groups.values())}
    # Speeds at rest are as large as what a run may be off by; how far things are apart tells how large that is.
    far = max(largest.get("positions", 0.0), largest.get("joint coordinates", 0.0))
    nothing = dict.fromkeys(("speeds", "accelerations"), float(np.min(first.record.get("atol", 0.0))) * far)
    return [
        name for name, x in size.items() if x > max(ROUNDING * largest[groups[name]], nothing.get(groups[name], 0.0))
    ]


def doubts(check: Verification, result: Result) -> Iterable[Finding]:
    """What the reader must know of a verification: which part of the motion hardly holds."""
    weak = [group for group in MOTION if check.digits.get(group, DOUBLE_DIGITS) < DOUBTFUL_DIGITS]
    if not weak:
        return
    group = min(weak, key=lambda g: check.digits[g])
    mine = [name for name in check.channels if between.group_of(name, result) == group]
    worst = min(mine, key=lambda name: check.channels[name])
    yield Finding(
        "verification", worst.rpartition(".")[0] or worst, None,
        f"a second run ({check.formulation}, rtol {check.rtol:g}) agrees with {group} to {check.digits[group]:.1f} "
        f"digits only, least in {worst}. Take a smaller rtol, or a shorter run if the motion is chaotic.",
    )  # fmt: skip


def _others(formulation: str) -> list[str]:
    """Formulations for the second run, best first: one that shares as little as possible, else the same again."""
    if formulation in COMPLIANT_FORMULATIONS:  # others would tell how soft the joints are
        return [formulation]
    return [*(name for name in ("minimal", "absolute") if name != formulation), formulation]


def _run(model: Model, duration: float, options: Record, formulations: list[str]) -> Result:
    for name in formulations[:-1]:
        try:
            return model.simulate(duration, **options, formulation=name)
        except LinkworkError:  # a component may be refused by it
            continue
    return model.simulate(duration, **options, formulation=formulations[-1])


def _digits(relative: float) -> float:
    return float(np.clip(-np.log10(max(relative, 10**-DOUBLE_DIGITS)), 0.0, DOUBLE_DIGITS))
