"""Every joint, law and force in kernels: what straight-line code says, or a refusal that names it."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry
from linkwork.large.fits import large_of
from linkwork.large.slots import Unfit
from linkwork.simulation.prepare import Choice, prepare

from .joint_contract import joint_of
from .test_forces import CASES, _pair
from .test_laws import LAWS

JOINTS = [k for k, c in registry.components.items() if issubclass(c, lw.Joint)]
REFUSED = {"tetrahedra", "contact of boxes"}
"""Forces whose features touch by turns."""


def agrees(m: lw.Model, rng: np.random.Generator) -> None:
    """Rates and channels, at the start and beside it."""
    ready = prepare(m, Choice(), contacts=True)
    large = large_of(m, None)
    program = large.ready(ready.state, ready.p)
    assert program.channels == ready.program.channels
    assert [e.name for e in program.events] == [e.name for e in ready.program.events]
    names = ["rhs", "outputs", *(["events"] if program.events else [])]
    for size in (1e-6, 1e-2):
        y = ready.state + size * rng.normal(size=ready.state.size)
        for name in names:
            expected = [np.array(x).ravel() for x in ready.program.symbolic(name).call([0.2, y, ready.p])]
            for one, other in zip(program.function(name)(0.2, y, ready.p), expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("kind", JOINTS)
def test_joints(kind, rng):
    joint = joint_of(registry.components[kind], kind)
    agrees(joint.model, rng)


@pytest.mark.slow
@pytest.mark.parametrize(("planar", "kind"), CASES)
def test_forces(planar, kind, rng):
    m = _pair(planar, kind)
    prepare(m, Choice(), contacts=True)
    if kind in REFUSED:
        with pytest.raises(Unfit, match="F"):
            large_of(m, None)
        return
    agrees(m, rng)


@pytest.mark.parametrize("name", LAWS)
def test_laws(name, rng):
    m = lw.Model("law", gravity=(0, -9.81))
    b = m.body("b", mass=1.5, inertia=0.2)
    m.prismatic("J", m.ground.at(0, 0), b.at(0.1, 0.2)).slide.law(LAWS[name])
    agrees(m, rng)
