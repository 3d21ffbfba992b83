"""Formulations prove each other only as far as they do not borrow: a mistake in one changes that one alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import slider_crank
from linkwork.formulations import acausal
from linkwork.geometry import Wrench

NAMES = ("absolute", "minimal", "points", "bondgraph", "acausal")


def apart(m: lw.Model) -> dict[str, float]:
    """How far each formulation is from `absolute` in the motion [rad], by compiled runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # energy that the mistake makes
        runs = {name: m.simulate(0.1, formulation=name, output=0.05) for name in NAMES}
    channel = "rod.angle"
    return {name: float(np.abs(r[channel] - runs["absolute"][channel]).max()) for name, r in runs.items()}


def test_a_port_equation_of_a_joint(monkeypatch):
    """What a joint answers at one of its ports, wrong by a tenth."""
    right = acausal.answered

    def wrong(view, joint, chosen, multipliers):
        found = right(view, joint, chosen, multipliers)
        if joint.name != "A":
            return found
        marker, wrench = found[0]
        return [(marker, Wrench(1.1 * wrench.force, wrench.moment)), found[1]]

    assert max(apart(slider_crank.model()).values()) < 1e-7
    monkeypatch.setattr(acausal, "answered", wrong)
    found = apart(slider_crank.model())
    assert found.pop("acausal") > 1e-5 and max(found.values()) < 1e-7


@pytest.mark.parametrize("gravity", [(0, -9.81), (0, 0, -9.81)])
def test_ports_answer_with_the_reactions_of_other_formulations(gravity):
    """The wrench of a joint by its own virtual power, against reactions found from Jacobians of bodies."""
    m = lw.Model("arm", gravity=gravity)
    planar = m.is_planar
    body = m.body("arm", mass=2.0, inertia=0.1 if planar else (0.1, 0.2, 0.3))
    tip = m.body("tip", mass=1.0, inertia=0.05 if planar else (0.05, 0.05, 0.02))
    m.revolute(
        "O", m.ground.at(*(0, 0) if planar else (0, 0, 0)), body.at(*(-0.4, 0.1) if planar else (-0.4, 0.1, 0.2))
    )
    m.revolute("A", body.at(*(0.4, 0) if planar else (0.4, 0, 0.1)), tip.at(*(-0.2, 0) if planar else (-0.2, 0, 0)))
    m["O"].angle.start(0.3, rate=2)
    m["A"].angle.start(-0.5, rate=-1)
    runs = [m.simulate(0.1, formulation=name, output=0.05) for name in ("acausal", "absolute")]
    for name in (n for n in runs[0] if ".reaction." in n):
        assert np.abs(runs[0][name] - runs[1][name]).max() < 1e-6 * max(1, np.abs(runs[1][name]).max())
