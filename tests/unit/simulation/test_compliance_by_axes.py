"""Springs and dampers of joints, given for each axis; runs that begin with joints open."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import ModelError

SOFT = ("compliant", "bondgraph-rc", "bondgraph-rc-scalar", "absolute", "acausal")


def frequencies(model, formulation):
    """Of all vibrations [rad/s], ascending; those of rigid motions are left out."""
    found = np.sort(np.abs(model.linearize(formulation=formulation).eigenvalues.imag))
    return found[found > 1e-3][::2]


@pytest.mark.parametrize("formulation", SOFT)
def test_a_beam_like_joint_vibrates_along_and_about_each_axis(formulation):
    """sqrt(k (1/m₁ + 1/m₂)) along x, y, z of the joint, sqrt(k (1/J₁ + 1/J₂)) about them; its axes are turned."""
    m = lw.Model("beam", gravity=(0, 0, 0))
    turned = lw.rotation("xyz", 0.3, -0.4, 0.7)
    a = m.body("a", mass=2, inertia=(0.1, 0.2, 0.4)).start(position=(0, 0, 0), rotation=turned)
    b = m.body("b", mass=3, inertia=(0.3, 0.5, 0.2)).start(position=(0, 0, 0), rotation=turned)
    joint = m.fixed("j", a.at(), b.at())
    along, about = np.array((200.0, 800.0, 1800.0)), np.array((0.9, 7.2, 40.0))
    joint.enforce("compliant", stiffness=tuple(along), damping=0, torsion=tuple(about), torsion_damping=0)
    J = 1 / np.array((0.1, 0.2, 0.4)) + 1 / np.array((0.3, 0.5, 0.2))
    by_hand = np.sort(np.sqrt(np.concatenate([along * (1 / 2 + 1 / 3), about * J])))
    np.testing.assert_allclose(frequencies(m, formulation), by_hand, rtol=1e-6)


@pytest.mark.parametrize("formulation", SOFT[:2])
def test_a_pin_keeps_its_free_axis(formulation):
    """`M.x · N.z` is a rotation about y, `M.y · N.z` one about x: numbers are by axis, not by equation."""
    m = lw.Model("pin", gravity=(0, 0, 0))
    body = m.body("body", mass=1, inertia=(0.1, 0.2, 0.3)).start(position=(0, 0, 0))
    joint = m.revolute("pin", m.ground.at(), body.at())
    joint.enforce("compliant", stiffness=1e4, damping=0, torsion=(0.9, 7.2, 5.0), torsion_damping=0)
    np.testing.assert_allclose(frequencies(m, formulation), [3, 6, 100, 100, 100], rtol=1e-6)


def test_damping_is_by_axes_too():
    """Free decay with m s² + d s + k = 0 along x and y, J s² + d s + k = 0 about z."""
    m = lw.Model("plate", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.5).start(position=(0, 0))
    m.fixed("j", m.ground.at(), body.at()).enforce(
        "compliant", stiffness=(200, 800), damping=(4, 8), torsion=50, torsion_damping=1
    )
    by_hand = np.concatenate([np.roots(c) for c in ((2, 4, 200), (2, 8, 800), (0.5, 1, 50))])
    for formulation in SOFT:
        found = m.linearize(formulation=formulation).eigenvalues
        apart = np.abs(found[:, None] - by_hand[None, :]).min(axis=0)
        assert apart.max() < 1e-6


def test_the_graph_has_the_same_numbers():
    m = lw.Model("plate", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.5).start(position=(0, 0))
    m.fixed("j", m.ground.at(), body.at())
    soft = lw.Compliance(stiffness=(200, 800), damping=(4, 8), torsion=50, torsion_damping=1)
    graph = m.bondgraph(joints="rc", compliance=soft)
    laws = {name: lw.SX(graph[f"j-blocked-{name}"].law) for name in ("translation-soft-C", "rotation-soft-C")}
    laws |= {name: lw.SX(graph[f"j-blocked-{name}"].law) for name in ("translation-soft-R", "rotation-soft-R")}
    numbers = {name: [float(law[k]) for k in range(law.numel())] for name, law in laws.items()}
    assert numbers == {
        "translation-soft-C": [200, 800],
        "rotation-soft-C": [50],
        "translation-soft-R": [4, 8],
        "rotation-soft-R": [1],
    }


def test_one_number_is_for_all_directions_and_numbers_apart_are_apart():
    def stiffness(**given):
        m = lw.Model("plate", gravity=(0, 0))
        body = m.body("body", mass=2, inertia=0.5).start(position=(0, 0))
        m.fixed("j", m.ground.at(), body.at())
        r = m.simulate(0.01, formulation="compliant", compliance=lw.Compliance(damping=0, **given))
        return r.record["compliance"]["stiffness"]

    assert stiffness(stiffness=300) == [300, 300]
    assert stiffness(stiffness=300, torsion=20) == [20, 300]
    assert stiffness(stiffness=(300, 400), torsion=500) == [300, 500]
    derived = stiffness(torsion=20)
    assert derived[0] == 20 and derived[1] > 1e5  # from the error that is allowed


def test_what_does_not_fit_is_refused_by_name():
    def plate(**given):
        m = lw.Model("plate", gravity=(0, 0))
        body = m.body("body", mass=2, inertia=0.5).start(position=(0, 0))
        m.fixed("weld", m.ground.at(), body.at()).enforce("compliant", **given)
        m.simulate(0.1, formulation="compliant")

    with pytest.raises(ModelError, match=r"weld: stiffness \(1.0, 2.0, 3.0\) has 3 numbers. Give 2 in the plane"):
        plate(stiffness=(1.0, 2.0, 3.0))
    with pytest.raises(ModelError, match=r"weld: torsion_damping \(1.0, 2.0\) has 2 numbers. Give 1 in the plane"):
        plate(torsion_damping=(1.0, 2.0))
    with pytest.raises(ModelError, match="weld: stiffness .* one for each axis"):
        plate(stiffness=(1.0, -2.0))
    with pytest.raises(ModelError, match="weld: 'stif' says nothing"):
        plate(stif=1.0)


def test_an_axis_that_turns_with_the_joint_takes_one_number():
    m = lw.Model("cross", gravity=(0, 0, 0))
    body = m.body("body", mass=1, inertia=(1, 1, 1)).start(position=(0, 0, 0))
    hooke = m.universal("hooke", m.ground.at(), body.at())
    hooke.enforce("compliant", torsion=(1.0, 2.0, 3.0))
    with pytest.raises(ModelError, match="hooke: torsion .* blocks none of the joint's own axes. Give it one number"):
        m.simulate(0.1)
    hooke.enforce("compliant", stiffness=(1e3, 2e3, 3e3), torsion=5.0, damping=0, torsion_damping=0)
    np.testing.assert_allclose(frequencies(m, "compliant"), np.sqrt((5, 1e3, 2e3, 3e3)), rtol=1e-6)


@pytest.mark.parametrize("formulation", SOFT[:3])
def test_a_run_may_begin_with_joints_open(formulation):
    """x₀ cos ωt + v₀/ω sin ωt from where the body was put."""
    m = lw.Model("plate", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.1)
    body.start(position=(0.01, -0.02), angle=0.001, velocity=(0.3, 0))
    m.fixed("j", m.ground.at(), body.at())
    soft = lw.Compliance(stiffness=(200, 800), damping=0, torsion=0.9, torsion_damping=0)
    r = m.simulate(1, formulation=formulation, compliance=soft, assemble=False, rtol=1e-10, atol=1e-12)
    t = r.t
    np.testing.assert_allclose(r["body.x"], 0.01 * np.cos(10 * t) + 0.03 * np.sin(10 * t), atol=1e-9)
    np.testing.assert_allclose(r["body.y"], -0.02 * np.cos(20 * t), atol=1e-9)
    np.testing.assert_allclose(r["body.angle"], 0.001 * np.cos(3 * t), atol=1e-9)
    assert not r.warnings
    closed = m.simulate(1, formulation=formulation, compliance=soft)
    assert abs(closed["body.x"][0]) < 1e-9 < abs(r["body.x"][0])


def test_stiffness_that_follows_from_the_error_may_begin_open():
    m = lw.Model("plate", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.1).start(position=(0.05, 0), angle=0)
    m.fixed("j", m.ground.at(), body.at())
    r = m.simulate(1, formulation="compliant", assemble=False)
    assert r["body.x"][0] == 0.05 and abs(r["body.x"][-1]) < 1e-9


def test_rigid_joints_cannot_begin_open():
    m = lw.Model("plate", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.1).start(position=(0.05, 0), angle=0)
    m.fixed("j", m.ground.at(), body.at())
    with pytest.raises(ModelError, match="assemble=False: joints cannot be open in formulation 'minimal'"):
        m.simulate(1, formulation="minimal", assemble=False)
    with pytest.raises(ModelError, match="start and assemble=False are both given"):
        m.simulate(1, formulation="compliant", assemble=False, start=m.assemble())
