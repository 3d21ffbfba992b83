"""Dimensional analysis as an oracle: a mechanism with other lengths, masses and times moves alike.

With lengths L, masses M and times T as large, forces are M L/T² as large, and so on: every channel of the scaled run,
in its scaled unit, is that of the unscaled one. Whatever compares a length with 1e-9 m somewhere is found so.
"""

from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry

pytestmark = pytest.mark.ci

JOINTS = {
    name: cls
    for name, cls in registry.components.items()
    if issubclass(cls, lw.Joint) and not issubclass(cls, lw.AxialJoint)
}
PLACES = [(kind, planar) for kind, cls in JOINTS.items() for planar in (True, False) if not planar or cls.plane]
FORMULATIONS = ("absolute", "minimal", "points", "acausal", "bondgraph")
SCALES = {
    "of 10 nm": (1e-8, 1.0, 1.0),
    "of 10,000 km": (1e8, 1.0, 1.0),
    "of 1 ng": (1.0, 1e-12, 1.0),
    "of 1e12 kg": (1.0, 1e12, 1.0),
    "spinning at 1e5 rad/s": (1.0, 1.0, 1e-5),
    "for 1e6 s": (1.0, 1.0, 1e6),
    "small, light and fast": (1e-6, 1e-12, 1e-3),
}
AGREE = 1e-6
ROUNDING = 1e-6
"""Values that are nothing but rounding errors: of a box that slides without turning."""


def mechanism(kind, planar, L, M, T):
    """A body on this joint, another one on it by a pin; all of them moving."""
    rng = np.random.default_rng(list(kind.encode()))
    d = 2 if planar else 3
    m = lw.Model("m", gravity=tuple(np.array([0.3, -9.81, 0.7])[:d] * L / T**2))
    inertia = M * L**2 * (0.03 if planar else np.diag([0.02, 0.03, 0.04]))
    a, b = (m.body(name, mass=mass * M, inertia=inertia) for name, mass in (("a", 1.3), ("b", 0.8)))
    options = {
        "distance": {"length": 0.5 * L},
        "screw": {"pitch": 0.6 * L},
        "point_on_curve": {"height": lambda x: 0.2 * L * lw.cos(2 * x / L)},
        "point_on_cam": {"radius": lambda angle: L * (0.5 + 0.05 * lw.cos(angle))},
    }.get(kind, {})
    joint = getattr(m, kind)("joint", m.ground.at(), a.at(*(L * rng.uniform(-0.3, 0.3, d))), **options)
    pin = m.revolute("pin", a.at(*(L * rng.uniform(-0.3, 0.3, d))), b.at(*(L * rng.uniform(-0.3, 0.3, d))))
    for c in (*joint.coordinates, *pin.coordinates):
        unit = L if c.unit == "m" else 1.0
        c.start(rng.uniform(-0.5, 0.5) * unit, rate=rng.uniform(-3, 3) * unit / T)
    return m


def bouncing(L, M, T):
    """A ball that bounces until it rolls."""
    m = lw.Model("m", gravity=(0, -9.81 * L / T**2))
    ball = m.body("b", mass=M, inertia=0.004 * M * L**2).start(position=(0, 0.3 * L), velocity=(0.7 * L / T, 0))
    m.rigid_contact("c", ball, radius=0.1 * L, restitution=0.5, friction=0.3, rest=1e-5 * L / T)
    return m


def sliding(L, M, T):
    """A box that comes down, and slides on."""
    m = lw.Model("m", gravity=(0, -9.81 * L / T**2))
    box = m.body("b", mass=M, inertia=0.01 * M * L**2).start(position=(0, 0.2 * L), velocity=(1.5 * L / T, 0))
    shape = lw.outlines.Box((0.4 * L, 0.2 * L))
    m.rigid_contact("c", box, shape=shape, friction=0.3, rest=1e-5 * L / T)
    return m


def yielding(L, M, T):
    """A ball on ground that gives way."""
    m = lw.Model("m", gravity=(0, -9.81 * L / T**2))
    ball = m.body("b", mass=M, inertia=0.01 * M * L**2).start(position=(0, 0.5 * L), velocity=(0.5 * L / T, 0))
    k, d = 1e4 * M / T**2 / L**0.5, 0.1 * T / L
    m.contact("c", ball, radius=0.1 * L, stiffness=k, dissipation=d, friction=0.3, creep=1e-2 * L / T)
    return m


def rolling(L, M, T):
    """A disc that rolls on its edge."""
    m = lw.Model("m", gravity=(0, 0, -9.81 * L / T**2))
    disc = m.body("b", mass=M, inertia=tuple(M * L**2 * x for x in (0.01, 0.01, 0.02)))
    place = (0, 0, 0.3 * L * np.sin(1.3))
    disc.start(position=place, rotation=lw.rotation_x(1.3), spin=(0.3 / T, 5 / T, 0.1 / T))
    m.rolling("r", disc, radius=0.3 * L)
    return m


def in_units(build, formulation, L=1.0, M=1.0, T=1.0):
    """By kind of channel: values of a run of one unit of time, in units of the scaled mechanism."""
    energy = M * L**2 / T**2
    units = {
        "rad": 1.0, "rad/s": 1 / T, "rad/s²": 1 / T**2, "m": L, "m/s": L / T, "m/s²": L / T**2,
        "N": M * L / T**2, "N·m": energy, "J": energy,
    }  # fmt: skip
    r = build(L, M, T).simulate(T, formulation=formulation, rtol=1e-9, output=T / 4)
    assert not r.warnings
    found = {}
    for name in r:
        unit = r.unit(name)
        if unit in units and not name.startswith("residual") and r[name].size:
            same = {"N·m": "J"}.get(unit, unit)  # moments may all vanish, and rounding has no scale
            found.setdefault(same, []).append(r[name] / units[unit])
    return {unit: np.array(values) for unit, values in found.items()}


def disagreement(build, formulation, scales):
    """What is off by more than it may, at which scale; None: nothing."""
    plain = in_units(build, formulation)
    for text, scale in scales.items():
        scaled = in_units(build, formulation, *scale)
        for unit, values in plain.items():
            if scaled[unit].shape != values.shape:
                return f"{text} in {formulation}: other events"
            off = np.abs(scaled[unit] - values).max() / max(np.abs(values).max(), ROUNDING)
            if not off < AGREE:
                return f"{text} in {formulation}: off by {off:.1e} ({unit})"
    return None


@pytest.mark.parametrize(("kind", "planar"), PLACES)
def test_scaled_mechanisms_move_alike(kind, planar):
    """One formulation and two scales of each: all come up in turn."""
    number = PLACES.index((kind, planar))
    names = [list(SCALES)[(2 * number + k) % len(SCALES)] for k in range(2)]
    formulation = FORMULATIONS[number % len(FORMULATIONS)]
    chosen = {name: SCALES[name] for name in names}
    assert disagreement(partial(mechanism, kind, planar), formulation, chosen) is None


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("kind", "planar"), PLACES)
def test_all_scaled_mechanisms_move_alike(kind, planar, formulation):
    assert disagreement(partial(mechanism, kind, planar), formulation, SCALES) is None


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("build", [bouncing, sliding, yielding, rolling])
def test_scaled_contacts_touch_alike(build, formulation):
    """In a run of 1e6 s, speeds [m/s] are as small as what solvers may be off by: there they are not compared."""
    assert disagreement(build, formulation, {k: v for k, v in SCALES.items() if k != "for 1e6 s"}) is None


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "bondgraph-zcp", "bondgraph-minimal"])
@pytest.mark.parametrize("factor", [1e-12, 1e9])
def test_equations_in_any_unit(formulation, factor):
    """A relation is what it is, whatever it is multiplied by; its multiplier goes with it."""

    def run(by):
        m = lw.Model("m", gravity=(0, -9.81))
        a, c = m.body("a", mass=1, inertia=0.1), m.body("c", mass=1, inertia=0.3)
        slide = m.prismatic("s", m.ground.at(), a.at()).slide
        angle = m.revolute("q", m.ground.at(0, -1), c.at(0, 0.1)).angle.start(0.2, rate=1)
        m.relation("cam", lambda x, turn: by * (x - 0.3 * lw.sin(turn)), slide, angle)
        return m.simulate(0.5, formulation=formulation, rtol=1e-10, output=0.1)

    plain, scaled = run(1.0), run(factor)
    assert not scaled.warnings
    assert scaled["a.x"] == pytest.approx(plain["a.x"], abs=1e-8)
    if "cam.multiplier1" in plain:
        assert factor * scaled["cam.multiplier1"] == pytest.approx(plain["cam.multiplier1"], rel=1e-5)


def test_own_joint_in_any_unit():
    """Its rows in thousandths of a nanometre, or in hundreds of turns."""

    class Pin(lw.Joint):
        free = plane = ("angle",)
        factor = 1e9

        def closure(self, M, N):
            d = self.factor * (N.p - M.p)
            return [d[0], d[1], d[2], lw.dot(M.z, N.x) / self.factor, lw.dot(M.z, N.y) / self.factor]

        def motion(self, angle):
            return lw.rotation_z(angle)

        def measure(self, M, N):
            return [lw.turn(M, N)]

    def run(joint):
        m = lw.Model("m", gravity=(0, -9.81))
        links = [m.ground, *(m.body(n, mass=1, inertia=0.1) for n in "abc")]
        for k, (x, y) in enumerate([(0.0, 0.0), (0.2, 0.0), (0.2, 0.0)]):
            at = links[k].at(x, y), links[k + 1].at(-0.2, 0)
            made = m.add(joint(f"j{k}", *at))
            if not k:
                made.angle.start(-1.0)
        m.add(joint("end", links[3].at(0.2, 0), m.ground.at(0.5, -0.5)))
        return m.simulate(1.0, formulation="absolute", rtol=1e-9, output=0.25)

    ours = run(Pin)
    assert not ours.warnings
    assert ours["b.x"] == pytest.approx(run(registry.components["revolute"])["b.x"], abs=1e-6)


def four_bar(L, M, T):
    """On a spring."""
    m = lw.Model("m", gravity=(0, -9.81 * L / T**2))
    a, b, c = (m.body(n, mass=M * k, inertia=0.02 * k * M * L**2) for n, k in (("a", 1), ("b", 2), ("c", 1.5)))
    m.revolute("A", m.ground.at(), a.at(-0.15 * L, 0)).angle.start(1.0)
    m.revolute("B", a.at(0.15 * L, 0), b.at(-0.4 * L, 0))
    m.revolute("C", b.at(0.4 * L, 0), c.at(0.3 * L, 0))
    m.revolute("D", m.ground.at(0.7 * L, 0), c.at(-0.3 * L, 0))
    pull = {"stiffness": 30 * M / T**2, "length": 0.3 * L, "damping": 3 * M / T}
    m.spring("S", b.at(0, 0.1 * L), m.ground.at(0, L), **pull)
    b.start(position=(0.5 * L, 0.4 * L), angle=0.3)
    c.start(position=(0.75 * L, 0.3 * L), angle=1.4)
    return m


@pytest.mark.parametrize("scale", SCALES)
def test_scaled_mechanisms_rest_and_vibrate_alike(scale):
    plain, scaled = (four_bar(*s).equilibrium() for s in ((1.0, 1.0, 1.0), SCALES[scale]))
    assert scaled.coordinates == pytest.approx(plain.coordinates, abs=1e-8)
    wanted, found = (
        np.sort_complex(four_bar(*s).linearize(at=e).eigenvalues * s[2])
        for s, e in (((1.0, 1.0, 1.0), plain), (SCALES[scale], scaled))
    )
    assert found == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_scaled_mechanisms_are_driven_alike(scale):
    def driven(L, M, T):
        r = four_bar(L, M, T).kinematics(T, drive={"A.angle": lambda t: 1.0 + t / T}, output=T / 4)
        return np.array([r["D.angle"], r["b.x"] / L, r["b.ax"] * T**2 / L])

    assert driven(*SCALES[scale]) == pytest.approx(driven(1.0, 1.0, 1.0), rel=1e-10)
