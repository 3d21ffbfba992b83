"""Forces at work: world and follower, torque, bushing, own functions of t, a and b."""

import numpy as np
import pytest

import linkwork as lw

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def _free(planar: bool, spin: float = 3.0) -> lw.Model:
    """A body that flies freely and turns about z."""
    m = lw.Model("free", gravity=(0, 0) if planar else (0, 0, 0))
    m.body("b", mass=2, inertia=0.5 if planar else (0.4, 0.4, 0.5)).start(spin=spin)
    return m


@pytest.mark.parametrize("planar", [True, False])
def test_world_force_keeps_its_direction(planar):
    m = _free(planar)
    m.force("F", m["b"].at(), (4.0, 0.0) if planar else (4.0, 0.0, 0.0))
    r = m.simulate(2, **TIGHT)
    assert r["b.x"] == pytest.approx(r.t**2, abs=1e-8)
    assert r["b.y"] == pytest.approx(0, abs=1e-12)
    assert r["energy.supplied"] == pytest.approx(4 * r["b.x"], abs=1e-8)


@pytest.mark.parametrize("planar", [True, False])
def test_follower_turns_with_the_body(planar):
    """v = F/(m ω) (sin ωt, 1 − cos ωt): the force goes round, and so does the velocity."""
    m = _free(planar)
    m.force("F", m["b"].at(), (4.0, 0.0) if planar else (4.0, 0.0, 0.0), frame="body")
    r = m.simulate(2, **TIGHT)
    assert r["b.vx"] == pytest.approx(4 / 2 / 3 * np.sin(3 * r.t), abs=1e-8)
    assert r["b.vy"] == pytest.approx(4 / 2 / 3 * (1 - np.cos(3 * r.t)), abs=1e-8)
    assert r["F.fx"] == pytest.approx(4 * np.cos(3 * r.t), abs=1e-8)  # recorded in world axes


@pytest.mark.parametrize("planar", [True, False])
def test_force_off_centre_turns_the_body(planar):
    m = _free(planar, spin=0.0)
    m.force("F", m["b"].at(0.5, 0), (0.0, 2.0) if planar else (0.0, 2.0, 0.0), frame="body")
    r = m.simulate(1, **TIGHT)
    assert r["b.wz"] == pytest.approx(2 * 0.5 / 0.5 * r.t, abs=1e-9)


@pytest.mark.parametrize("planar", [True, False])
def test_torque_about_z(planar):
    m = _free(planar, spin=0.0)
    m.torque("T", m["b"].at(0.7, 0.1), 3.0 if planar else (0.0, 0.0, 3.0))
    r = m.simulate(1, **TIGHT)
    assert r["b.wz"] == pytest.approx(6 * r.t, abs=1e-9)
    assert np.abs(r["b.x"]).max() < 1e-12
    assert r["energy.supplied"] == pytest.approx(0.5 * 0.5 * (6 * r.t) ** 2, abs=1e-8)


def test_body_torque_in_space_follows():
    """A torque about the body's own x axis on a body that turned by 90° acts about world y."""
    m = lw.Model("free", gravity=(0, 0, 0))
    m.body("b", mass=1, inertia=(0.5, 0.5, 0.5)).start(rotation=lw.rotation_z(np.pi / 2))
    m.torque("T", m["b"].at(), (1.0, 0.0, 0.0), frame="body")
    r = m.simulate(1, **TIGHT)
    assert r["b.wy"] == pytest.approx(2 * r.t, abs=1e-9)
    assert np.abs(r["b.wx"]).max() < 1e-9


def test_own_force_of_time_and_frame():
    """A linear drag and a push that varies with time, written with the frame's own velocity."""
    m = _free(True, spin=0.0)
    m.force("F", m["b"].at(), lambda t, a: (-2 * a.v[0] + lw.sin(t), 0))
    r = m.simulate(3, **TIGHT)
    # m v̇ = −2 v + sin t with m = 2
    assert r["b.vx"] == pytest.approx((np.sin(r.t) - np.cos(r.t) + np.exp(-r.t)) / 4, abs=1e-8)


def test_own_force_between_two_frames():
    """Gravitation between two bodies: a circular orbit about the common centre, and nothing drifts."""
    m = lw.Model("orbit", gravity=(0, 0, 0))
    heavy, light = m.body("heavy", mass=3, inertia=(1, 1, 1)), m.body("light", mass=1, inertia=(1, 1, 1))
    w = 2.0  # Kepler: G (m₁ + m₂) = ω² d³ with d = 1
    G = w**2 / 4
    heavy.start(position=(-0.25, 0, 0), velocity=(0, -0.25 * w, 0))
    light.start(position=(0.75, 0, 0), velocity=(0, 0.75 * w, 0))
    m.force("F", light.at(), lambda a, b: 3 * G * (b.p - a.p) / lw.norm(b.p - a.p) ** 3, reaction=heavy.at())
    r = m.simulate(5, solver="dop853", **TIGHT)
    assert r["light.x"] == pytest.approx(0.75 * np.cos(w * r.t), abs=1e-7)
    assert r["heavy.y"] == pytest.approx(-0.25 * np.sin(w * r.t), abs=1e-7)


@pytest.mark.parametrize("planar", [True, False])
def test_spring_and_damper(planar):
    """One mass on a spring: the damped oscillation of the textbook."""
    m = lw.Model("spring", gravity=(0, 0) if planar else (0, 0, 0))
    b = m.body("b", mass=2, inertia=1 if planar else (1, 1, 1)).start(position=(1.3, 0))
    m.spring("S", m.ground.at(), b.at(), stiffness=50, length=1.0, damping=2.0)
    r = m.simulate(2, **TIGHT)
    decay, w = 0.5, np.sqrt(25 - 0.25)
    stretch = 0.3 * np.exp(-decay * r.t) * (np.cos(w * r.t) + decay / w * np.sin(w * r.t))
    assert r["S.length"] == pytest.approx(1 + stretch, abs=1e-8)
    assert r["S.tension"] == pytest.approx(50 * stretch + 2 * r["S.rate"], abs=1e-7)
    assert r["energy.total"] + r["energy.dissipated"] == pytest.approx(25 * 0.09, abs=1e-8)


def test_bushing_in_the_plane():
    """Three independent oscillators, and the torsional one counts turns."""
    m = lw.Model("mount", gravity=(0, 0))
    b = m.body("b", mass=2, inertia=0.5).start(position=(0.1, 0.2), angle=0, spin=20.0)
    m.bushing("B", m.ground.at(), b.at(), stiffness=(18, 32), torsion=2.0)
    r = m.simulate(2, **TIGHT)
    assert r["b.x"] == pytest.approx(0.1 * np.cos(3 * r.t), abs=1e-8)
    assert r["b.y"] == pytest.approx(0.2 * np.cos(4 * r.t), abs=1e-8)
    assert r["b.angle"] == pytest.approx(10 * np.sin(2 * r.t), abs=1e-7)


def test_bushing_in_space_along_and_about_each_axis():
    """Six different stiffnesses: pushing and twisting along each axis shows its own."""
    k, c = (10.0, 20.0, 30.0), (1.0, 2.0, 3.0)
    for i in range(3):
        unit = tuple(float(j == i) for j in range(3))
        m = lw.Model("mount", gravity=(0, 0, 0))
        b = m.body("b", mass=1, inertia=(1, 1, 1)).start(
            position=tuple(0.1 * u for u in unit), spin=tuple(0.2 * u for u in unit)
        )
        m.bushing("B", m.ground.at(), b.at(), stiffness=k, torsion=c)
        r = m.simulate(1, **TIGHT)
        assert r[f"b.{'xyz'[i]}"] == pytest.approx(0.1 * np.cos(np.sqrt(k[i]) * r.t), abs=1e-8)
        assert r[f"b.w{'xyz'[i]}"] == pytest.approx(0.2 * np.cos(np.sqrt(c[i]) * r.t), abs=1e-8)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda m: m.spring("S", m["b"].at(1, 0), m["b"].at(), stiffness=1),
            r"^S: joins 'b' to itself\. Use two bodies",
        ),
        (lambda m: m.bushing("S", m["b"].at(1, 0), m["b"].at(), stiffness=1), r"^S: joins 'b' to itself\. "),
        (lambda m: m.force("S", m["b"].at(), (1, 0), frame="local"), r"^S: frame 'local'\. It is 'world' or 'body'"),
        (lambda m: m.force("S", (1, 0), (1, 0)), r"^S: \(1, 0\) is not a frame\. Give `body\.at"),
    ],
)
def test_refused(build, message):
    with pytest.raises(lw.ModelError, match=message):
        build(_free(True))


def test_unknown_argument_of_an_own_force():
    m = _free(True)
    m.force("F", m["b"].at(), lambda t, speed: (speed, 0))
    with pytest.raises(lw.ModelError, match=r"^F: the function asks for speed\. It can use t, a"):
        m.simulate(1)


def test_a_body_will_do_for_its_own_frame():
    """Forces and points take a body where its mass centre is meant."""
    m = _free(True, spin=0.0)
    m.force("F", m["b"], (2.0, 0.0))
    m.point("P", m["b"])
    r = m.simulate(1)
    assert r["P.x"] == pytest.approx(r.t**2 / 2, abs=1e-8)
