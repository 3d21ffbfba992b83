"""Do reactions stay in proportion to what loads the mechanism? Where they do not, equations fight each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.analyses.findings.run import Evidence, finding
from linkwork.core.finding import Finding

MUCH = 1e6
"""Times the loads. A toggle enlarges forces too, but not by this much."""
ROUNDING = 1e-9
"""N per N of weight, speed and stiffness: what is left of forces where there are none."""
LOADS = ("spring", "damper", "friction", "limits", "effort", "tension", "fx", "fy", "fz", "normal")


@finding
def reactions(run: Evidence) -> Iterable[Finding]:
    result = run.result
    joints = result.description.get("joints", {})
    if not joints or result.t.size < 2:
        return
    loads = _loads(run)
    for joint in joints:
        forces = [result[f"{joint}.reaction.f{a}"] for a in "xyz" if f"{joint}.reaction.f{a}" in result]
        if not forces:
            continue
        size = np.sqrt(sum(f * f for f in forces))
        wrong = ~(size <= MUCH * loads)
        if wrong.any():
            k = int(np.argmax(wrong))
            yield Finding(
                "reactions", joint, float(result.t[k]),
                f"its reaction grows to {size[wrong].max():.2g} N, where the loads are {loads:.2g} N: equations there "
                "contradict each other, or the position is singular.",
            )  # fmt: skip
            return


def _loads(run: Evidence) -> float:
    """The largest force [N] that acts from outside, by weight or by inertia, in the whole run."""
    result = run.result
    gravity = float(np.linalg.norm(result.description.get("gravity", [0.0])))
    largest = 0.0
    for name, body in result.description["bodies"].items():
        if "mass" not in body or f"{name}.ax" not in result:
            continue
        a = np.sqrt(sum(result[f"{name}.a{x}"] ** 2 for x in "xyz" if f"{name}.a{x}" in result))
        moment = np.sqrt(sum(result[f"{name}.alpha{x}"] ** 2 for x in "xyz" if f"{name}.alpha{x}" in result))
        inertia = float(np.abs(np.asarray(body["inertia"])).max(initial=0.0))
        felt = body["mass"] * (np.abs(a).max(initial=0.0) + gravity) + inertia * moment.max(initial=0.0) / run.size
        largest = max(largest, float(felt))
    for name in result:
        owner, _, last = name.rpartition(".")
        if last.rstrip("0123456789") in LOADS and not owner.endswith((".reaction", ".port1")):
            largest = max(largest, float(np.abs(result[name]).max(initial=0.0)))
    return largest + run.atol
