"""Components with ports and equations of one's own: connected, flattened, sorted, solved; messages."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw


class Wire(lw.PortComponent):
    """Two electric ports with the same current through both."""

    def __init__(self, name: str):
        super().__init__(name)
        self.p, self.n = self.port("p", lw.ELECTRIC), self.port("n", lw.ELECTRIC)

    @property
    def drop(self) -> lw.SX:
        return self.p.v - self.n.v

    def law(self) -> lw.SX:
        raise NotImplementedError

    def equations(self):
        return [self.law(), self.p.i + self.n.i]


class Ohm(Wire):
    def __init__(self, name: str, resistance):
        super().__init__(name)
        self.resistance = resistance

    def law(self):
        return self.drop - self.resistance * self.p.i

    def lost(self):
        return self.resistance * self.p.i**2


class Farad(Wire):
    def __init__(self, name: str, capacity, start=None):
        super().__init__(name)
        self.capacity, self.u = capacity, self.variable("u", start, unit="V")

    def equations(self):
        return [self.drop - self.u, self.capacity * self.der(self.u) - self.p.i, self.p.i + self.n.i]

    def stored(self):
        return self.capacity * self.u**2 / 2


class Henry(Wire):
    def __init__(self, name: str, inductance, start=None):
        super().__init__(name)
        self.inductance, self.current = inductance, self.variable("current", start, unit="A")

    def equations(self):
        return [
            self.current - self.p.i,
            self.drop - self.inductance * self.der(self.current),
            self.p.i + self.n.i,
        ]

    def stored(self):
        return self.inductance * self.current**2 / 2


class Volt(Wire):
    source = True

    def __init__(self, name: str, voltage):
        super().__init__(name)
        self.voltage = voltage

    def law(self):
        return self.drop - self.signal(self.voltage)


class Diode(Wire):
    def law(self):
        return self.p.i - 1e-9 * (lw.exp(self.drop / 0.05) - 1)

    def lost(self):
        return self.p.i * self.drop


class Earth(lw.PortComponent):
    def __init__(self, name: str):
        super().__init__(name)
        self.p = self.port("p", lw.ELECTRIC)

    def equations(self):
        return [self.p.v]


class Rotor(lw.PortComponent):
    def __init__(self, name: str, inertia):
        super().__init__(name)
        self.flange, self.inertia = self.port("flange", lw.ROTATIONAL), inertia

    def equations(self):
        return [self.flange.torque - self.inertia * self.der(self.der(self.flange.angle))]

    def stored(self):
        return self.inertia * self.der(self.flange.angle) ** 2 / 2


class Machine(lw.PortComponent):
    """An ideal electric machine."""

    def __init__(self, name: str, constant):
        super().__init__(name)
        self.p, self.n = self.port("p", lw.ELECTRIC), self.port("n", lw.ELECTRIC)
        self.flange, self.constant = self.port("flange", lw.ROTATIONAL), constant

    def equations(self):
        return [
            self.p.v - self.n.v - self.constant * self.der(self.flange.angle),
            self.p.i + self.n.i,
            self.flange.torque + self.constant * self.p.i,
        ]


class Pin(lw.PortComponent):
    """A pin joint in the plane, as its equations say: Newton's third law, one point, no torque."""

    def __init__(self, name: str, a, b):
        super().__init__(name)
        self.a, self.b = self.frame("a", a), self.frame("b", b)

    def equations(self):
        arm = lw.cross(self.b.p - self.a.p, self.b.force)
        return [
            self.a.force + self.b.force,
            self.a.torque + self.b.torque + arm,
            (self.a.p - self.b.p)[:2],
            self.a.torque[2],
        ]


def circuit(*parts: lw.PortComponent, name: str = "circuit") -> lw.Model:
    m = lw.Model(name)
    for part in parts:
        m.add(part)
    return m


def in_series(m: lw.Model, *parts) -> None:
    """One loop, grounded after the last part."""
    earth = m.add(Earth("earth"))
    for first, second in zip(parts, parts[1:], strict=False):
        m.connect(first.n, second.p)
    m.connect(parts[-1].n, parts[0].p) if len(parts) == 1 else None
    m.connect(parts[-1].n, earth.p)


def balance(r: lw.Result) -> float:
    total = r["energy.total"].copy()
    total += r["energy.dissipated"] if "energy.dissipated" in r else 0
    total -= r["energy.supplied"] if "energy.supplied" in r else 0
    return float(np.abs(total - total[0]).max())


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal"])
def test_oscillating_circuit(formulation):
    source, ohm, henry, farad = Volt("S", 5.0), Ohm("R", 2.0), Henry("L", 0.1), Farad("C", 1e-2)
    m = circuit(source, ohm, henry, farad)
    m.connect(source.p, ohm.p)
    m.connect(ohm.n, henry.p)
    m.connect(henry.n, farad.p)
    m.connect(farad.n, source.n, m.add(Earth("earth")).p)
    r = m.simulate(1.0, formulation=formulation, rtol=1e-10, atol=1e-12)
    decay, beat = 10.0, np.sqrt(1000 - 100)
    exact = 5 * (1 - np.exp(-decay * r.t) * (np.cos(beat * r.t) + decay / beat * np.sin(beat * r.t)))
    assert np.abs(r["C.u"] - exact).max() < 1e-8
    assert np.abs(r["R.p.i"] - 1e-2 * np.gradient(exact, r.t))[5:-5].max() < 1e-3
    assert balance(r) < 1e-9


def test_tied_states_are_one():
    """Two capacitors in parallel, two inductors in series: one state each, no index to reduce."""
    source, ohm = Volt("S", 5.0), Ohm("R", 2.0)
    one, two = Farad("C1", 1e-2, 1.0), Farad("C2", 3e-2)
    m = circuit(source, ohm, one, two)
    m.connect(source.p, ohm.p)
    m.connect(ohm.n, one.p, two.p)
    m.connect(one.n, two.n, source.n, m.add(Earth("earth")).p)
    found = m.structure()
    assert len(found.states) == 1 and found.index <= 1
    r = m.simulate(0.3)
    assert np.abs(r["C1.u"] - (5 - 4 * np.exp(-r.t / (2 * 4e-2)))).max() < 1e-7
    assert np.abs(r["C1.u"] - r["C2.u"]).max() < 1e-14


def test_tied_states_with_other_starts_are_told():
    one, two = Farad("C1", 1e-2, 1.0), Farad("C2", 3e-2, 2.0)
    m = circuit(one, two)
    m.connect(one.p, two.p)
    m.connect(one.n, two.n, m.add(Earth("earth")).p)
    with pytest.raises(lw.ModelError, match=r"C[12].*starts at [12].*asks for [12]"):
        m.simulate(0.1)


def test_nonlinear_loop_is_kept_on_its_equation():
    """A diode in series with resistors: an algebraic loop at every instant, against SciPy's root and ODE."""
    source, ohm, diode = Volt("S", lambda t: 5 * lw.sin(300 * t)), Ohm("R", 50.0), Diode("D")
    farad, load = Farad("C", 1e-4), Ohm("load", 1000.0)
    m = circuit(source, ohm, diode, farad, load)
    m.connect(source.p, ohm.p)
    m.connect(ohm.n, diode.p)
    m.connect(diode.n, farad.p, load.p)
    m.connect(farad.n, load.n, source.n, m.add(Earth("earth")).p)
    assert any(not b.linear for b in m.structure().blocks)
    r = m.simulate(0.05, rtol=1e-9, atol=1e-12)

    def rate(t, u):
        from scipy.optimize import brentq

        left = 5 * np.sin(300 * t) - u[0]
        across = brentq(lambda d: left - d - 50 * 1e-9 * np.expm1(d / 0.05), -12, 1.2, xtol=1e-13)
        i = 1e-9 * np.expm1(across / 0.05)
        return [(i - u[0] / 1000) / 1e-4]

    truth = solve_ivp(rate, (0, 0.05), [0.0], rtol=1e-8, atol=1e-10, t_eval=r.t, max_step=1e-4)
    assert np.abs(r["C.u"] - truth.y[0]).max() < 1e-5
    residual = r["D.p.i"] - 1e-9 * (np.exp((r["D.p.v"] - r["D.n.v"]) / 0.05) - 1)
    assert np.abs(residual).max() < 1e-9
    assert balance(r) < 1e-6 * r["energy.supplied"].max()


class Circle(lw.PortComponent):
    """x² + y² = 1 by a pull that keeps it: index 2 in first-order form."""

    def __init__(self, name: str):
        super().__init__(name)
        self.x, self.y, self.pull = self.variable("x", 1.0), self.variable("y", 0.01), self.variable("pull")

    def equations(self):
        return [
            self.der(self.x) + self.y - 2 * self.pull * self.x,
            self.der(self.y) - self.x - 2 * self.pull * self.y + self.y,
            self.x**2 + self.y**2 - 1,
        ]


def test_hidden_constraint_is_found_and_kept():
    m = circuit(Circle("c"))
    found = m.structure()
    assert found.index == 2 and found.differentiated == {0: 2, 1: 1}
    r = m.simulate(3.0, rtol=1e-10, atol=1e-12)
    assert np.abs(r["c.x"] ** 2 + r["c.y"] ** 2 - 1).max() < 1e-9
    angle = np.unwrap(np.arctan2(r["c.y"], r["c.x"]))  # φ̇ = 1 − sin φ cos φ
    truth = solve_ivp(lambda t, a: 1 - np.sin(a) * np.cos(a), (0, 3), angle[:1], rtol=1e-11, atol=1e-12, t_eval=r.t)
    assert np.abs(angle - truth.y[0]).max() < 1e-7


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal"])
def test_machine_with_rotor_drives_a_pendulum(formulation):
    """The rotor is rigidly joined to the joint: its inertia is felt in every formulation."""
    m = lw.Model("drive")
    rod = m.body("rod", mass=1, inertia=0.1)
    rod.start(position=(0.5, 0))
    pin = m.revolute("pin", m.ground, rod, point=(0, 0))
    machine, ohm, source = m.add(Machine("M", 0.5)), m.add(Ohm("R", 1.0)), m.add(Volt("S", 3.0))
    m.connect(source.p, ohm.p)
    m.connect(ohm.n, machine.p)
    m.connect(machine.n, source.n, m.add(Earth("earth")))
    m.connect(machine.flange, pin.angle, m.add(Rotor("J", 0.3)))
    r = m.simulate(2.0, formulation=formulation, rtol=1e-10, atol=1e-12)
    truth = solve_ivp(
        lambda t, y: [y[1], (0.5 * (3 - 0.5 * y[1]) - 9.81 * 0.5 * np.cos(y[0])) / (0.1 + 0.25 + 0.3)],
        (0, 2),
        [0, 0],
        rtol=1e-12,
        atol=1e-12,
        t_eval=r.t,
    )
    assert np.abs(r["pin.angle"] - truth.y[0]).max() < 1e-7
    assert balance(r) < 1e-7
    second = np.gradient(truth.y[1], r.t, edge_order=2)
    assert np.abs(r["pin.angle.effort"] - (0.5 * (3 - 0.5 * truth.y[1]) - 0.3 * second))[2:-2].max() < 1e-3


def test_joint_by_equations_is_the_joint_of_the_library():
    def pendulum(own: bool) -> lw.Model:
        m = lw.Model("pendulum")
        first, second = m.body("first", mass=1, inertia=0.1), m.body("second", mass=0.5, inertia=0.05)
        first.start(position=(0.5, 0))
        second.start(position=(1.4, 0.3), angle=np.arctan2(0.3, 0.4))
        m.revolute("O", m.ground, first, point=(0, 0))
        ends = first.at(0.5, 0), second.at(-0.5, 0)
        m.add(Pin("A", *ends)) if own else m.revolute("A", *ends)
        return m

    mine = pendulum(True).simulate(1.0, formulation="acausal", rtol=1e-10, atol=1e-12)
    ours = pendulum(False).simulate(1.0, formulation="absolute", rtol=1e-10, atol=1e-12)
    for channel in ("first.angle", "second.angle", "second.x", "second.y", "second.vy", "O.reaction.fx"):
        assert np.abs(mine[channel] - ours[channel]).max() < 1e-7, channel
    assert mine["residual.position"].max() < 1e-9 and mine["residual.velocity"].max() < 1e-9
    assert np.abs(mine["A.a.fx"] + mine["A.b.fx"]).max() == 0
    assert np.abs(mine["A.b.fx"] + ours["A.reaction.fx"]).max() < 1e-6  # on the component, on the body


def test_only_acausal_can_solve_for_both():
    m = lw.Model("pendulum")
    rod = m.body("rod", mass=1, inertia=0.1)
    m.add(Pin("pin", m.ground.at(0, 0), rod.at(-0.5, 0)))
    with pytest.raises(lw.ModelError, match="pin.*restricts the motion.*acausal"):
        m.simulate(1.0)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: m.add(Few("few")), "few: it has one equation too few: 1 for few.p.i, few.n.i"),
        (lambda m: m.add(Many("many")), "many: it has one equation too many: 3 for many.p.i, many.n.i"),
        (lambda m: m.connect(m.add(Earth("e")).p), "one end only"),
        (lambda m: m.connect(m.add(Earth("e")), m.add(Rotor("J", 1.0))), "different kinds.*e.p is electric"),
        (lambda m: m.connect(m.add(Earth("e")), m.add(Ohm("R", 1.0))), "R: has 2 ports. Say which: R.p, R.n"),
        (lambda m: m.connect(m.add(Earth("e")), Ohm("R", 1.0).p), "R.p: belongs to no model"),
        (lambda m: m.connect(m.add(Earth("e")), 3), "3 is not a port"),
        (lambda m: m.add(Earth("e")).p.current, "no variable 'current'|unknown variable|current"),
        (lambda m: m.add(Broken("b")), "b: its equations failed: ZeroDivisionError"),
    ],
)
def test_mistakes_are_told(build, words):
    m = lw.Model("m")

    def run() -> None:
        build(m)
        m.simulate(0.1)

    with pytest.raises((lw.LinkworkError, AttributeError), match=words):
        run()


class Few(Wire):
    def equations(self):
        return [self.p.i + self.n.i]


class Many(Wire):
    def equations(self):
        return [self.p.i + self.n.i, self.p.v, self.n.v]


class Broken(Wire):
    def equations(self):
        return [1 / 0, self.p.i]


def test_two_sources_in_parallel_are_one_equation_too_many():
    one, two = Volt("U1", 5.0), Volt("U2", 6.0)
    m = circuit(one, two)
    m.connect(one.p, two.p)
    m.connect(one.n, two.n, m.add(Earth("earth")).p)
    with pytest.raises(lw.ModelError, match=r"U2: together with U1.* one equation too many, which contradicts"):
        m.simulate(0.1)


def test_a_torque_on_nothing_is_told():
    class Push(lw.PortComponent):
        source = True

        def __init__(self, name):
            super().__init__(name)
            self.flange = self.port("flange", lw.ROTATIONAL)

        def equations(self):
            return [self.flange.torque - 3.0]

    m = circuit(Push("push"))
    with pytest.raises(lw.ModelError, match="push: nothing fixes the angle of push.flange"):
        m.simulate(0.1)
