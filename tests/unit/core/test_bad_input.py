"""Wrong input: every error names the component, the cause and the remedy."""

import os
import signal
import threading

import numpy as np
import pytest

import linkwork as lw


def plane() -> lw.Model:
    """A planar model with one body, `b`."""
    m = lw.Model("m", gravity=(0, -9.81))
    m.body("b", mass=1, inertia=1)
    return m


def pendulum() -> lw.Model:
    m = plane()
    m.revolute("pin", m.ground.at(), m["b"].at(-0.5, 0))
    return m


def _other_body():
    return lw.Model("other", gravity=(0, 0)).body("x", mass=1, inertia=1)


def space() -> lw.Model:
    return lw.Model("m", gravity=(0, 0, 0))


MODEL_ERRORS = {
    "zero mass": (
        lambda: (m := plane()).body("c", mass=0, inertia=1) and m.simulate(1),
        r"^c: it has no mass, and no joint holds its position\. Give it some, or hold it",
    ),
    "negative mass": (lambda: plane().body("c", mass=-2, inertia=1), r"^c: mass -2 kg is negative\. .*mass ≥ 0"),
    "mass that is not a number": (lambda: plane().body("c", mass=np.nan, inertia=1), r"^c: mass nan kg.*mass ≥ 0"),
    "no moment of inertia": (lambda: plane().body("c", mass=1, inertia=-1), r"^c: moment of inertia -1 .*Izz ≥ 0"),
    "a moment on nothing": (
        lambda: (m := plane()).torque("T", m.particle("c", mass=1), 1.0) and m.simulate(1),
        r"^c: it has no inertia, and no joint holds its rotation, but a moment acts on it\.",
    ),
    "a frame beside a particle": (
        lambda: plane().particle("c", mass=1).at(0.1, 0),
        r"^c: a frame at \(0.1, 0, 0\) on a particle\. A particle is a point",
    ),
    "indefinite inertia": (
        lambda: space().body("c", mass=1, inertia=(1, 1, 1, 2, 0, 0)),
        r"^c: the inertia matrix has a negative principal moment, -1 .*Check the signs",
    ),
    "asymmetric inertia": (
        lambda: space().body("c", mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
        r"^c: the inertia matrix is not symmetric\. Ixy must equal Iyx",
    ),
    "planar body with three moments": (
        lambda: plane().body("c", mass=1, inertia=(1, 1, 1)),
        r"^c: a planar body has one moment .*Give one number",
    ),
    "spatial body with one moment": (
        lambda: space().body("c", mass=1, inertia=1),
        r"^c: a spatial body needs its inertia as \(Ixx, Iyy, Izz\)",
    ),
    "joint of a body with itself": (
        lambda: (m := plane()).revolute("J", m["b"].at(), m["b"].at(1, 0)),
        r"^J: joins 'b' to itself\. A joint needs two different bodies",
    ),
    "joint with a body of another model": (
        lambda: (m := plane()).revolute("J", m["b"].at(), _other_body().at()),
        r"^J: 'x' belongs to another model\. Use this model's body",
    ),
    "spring to a body of another model": (
        lambda: (m := plane()).spring("S", m["b"].at(), _other_body().at(), stiffness=1),
        r"^S: 'x' belongs to another model\. Use this model's body",
    ),
    "force on a body of another model": (
        lambda: plane().force("F", _other_body().at(), (1, 0)),
        r"^F: 'x' belongs to another model\. ",
    ),
    "point on a body of another model": (
        lambda: plane().point("P", _other_body().at()),
        r"^P: 'x' belongs to another model\. ",
    ),
    "joint with something else": (
        lambda: (m := plane()).revolute("J", m["b"].at(), (1, 0)),
        r"^J: \(1, 0\) is neither a body nor a frame\. Give",
    ),
    "name twice": (lambda: plane().body("b", mass=1, inertia=1), r"^b: the name is taken already\. Choose another"),
    "name of a parameter": (
        lambda: (m := plane(), m.parameter("k", 1.0), m.body("k", mass=1, inertia=1)),
        r"^k: the name is taken",
    ),
    "empty name": (lambda: plane().body("", mass=1, inertia=1), r"^'' cannot be a name\. Use letters"),
    "name with a dot": (lambda: plane().body("a.b", mass=1, inertia=1), r"^'a\.b' cannot be a name\. Use letters"),
    "gravity of one number": (lambda: lw.Model("m", gravity=(1,)), r"^m: gravity has 1 components\. Give 2"),
    "frame out of the plane": (lambda: plane()["b"].at(0, 0, 1), r"^b: a frame at z = 1\. A planar model has z = 0"),
    "no rotation matrix": (
        lambda: space().ground.at(rotation=np.diag([1, 2, 1])),
        r"^ground: the matrix is not a rotation .*Check its columns",
    ),
    "two kinds of rotation": (
        lambda: plane()["b"].start(angle=1, quaternion=(1, 0, 0, 0)),
        r"^b: angle, rotation and quaternion exclude",
    ),
    "motion twice": (
        lambda: pendulum()["pin"].angle.law(lw.Motion(1.0)).law(lw.Motion(2.0)),
        r"^pin\.angle: .*prescribed twice.*remove",
    ),
    "no law": (lambda: pendulum()["pin"].angle.law(3.0), r"^pin\.angle: 3\.0 is not a law\. Give lw\.Spring"),
    "empty limits": (lambda: lw.Limits(2, 1), r"limits 2 … 1 are empty\. Give lower < upper"),
    "parameter that is not a number": (
        lambda: plane().parameter("k", np.inf),
        r"^k: inf is not a finite .*Give a finite",
    ),
    "axis without direction": (
        lambda: (
            m := space(),
            m.revolute("J", m.ground, m.body("c", mass=1, inertia=(1, 1, 1)), point=(0, 0, 0), axis=(0, 0, 0)),
            m.assemble(),
        ),
        r"^J: axis .* has no direction\. Give a nonzero vector",
    ),
    "size of a box": (lambda: plane().box("c", (1, 0, 1), density=1), r"^c: size 0 m is not positive\. Give sizes"),
    "density and mass": (lambda: plane().sphere("c", radius=1), r"^c: needs either density or mass\. Steel"),
    "gear to a joint of another model": (
        lambda: (m := pendulum()).gear("G", m["pin"].angle, pendulum()["pin"].angle, ratio=2),
        r"^G: 'pin\.angle' belongs to another model\. Use this model's joint",
    ),
    "relation that is not a coordinate": (
        lambda: (m := pendulum()).relation("R", lambda a: a, m["pin"]),
        r"^R: .* is not a joint coordinate\. Give e\.g\. `O\.angle`",
    ),
    "relation that fails": (
        lambda: (m := pendulum(), m.relation("R", lambda a, b: a, m["pin"].angle), m.assemble()),
        r"^R: its function failed: TypeError.*use lw\.sin",
    ),
    "point that is not a frame": (lambda: plane().point("P", (1, 0)), r"^P: \(1, 0\) is not a frame\. Give `body\.at"),
    "start at no place": (
        lambda: plane()["b"].start(position=(np.nan, 0)),
        r"^b: position .* is not a vector\. Give 2 or 3",
    ),
    "start of four numbers": (
        lambda: plane()["b"].start(velocity=(1, 2, 3, 4)),
        r"^b: velocity .* is not a vector\. Give 2 or 3",
    ),
    "start out of the plane": (
        lambda: plane()["b"].start(position=(0, 0, 1)),
        r"^b: position \(0, 0, 1\) leaves the plane\. Use a spatial model",
    ),
    "spin out of the plane": (
        lambda: plane()["b"].start(spin=(1, 0, 0)),
        r"^b: spin \(1, 0, 0\) leaves the plane\. Use",
    ),
    "rotation out of the plane": (
        lambda: plane()["b"].start(rotation=lw.rotation_x(0.5)),
        r"^b: the rotation leaves the plane\. Give `angle`",
    ),
    "joint value that is not a number": (
        lambda: pendulum()["pin"].angle.start(np.nan),
        r"^pin\.angle: starts at nan\. Give a finite number",
    ),
    "force out of the plane": (
        lambda: (m := plane(), m.force("F", m["b"].at(), (1, 0, 5)), m.simulate(0.1)),
        r"^F: .* leaves the plane\. Use",
    ),
    "torque out of the plane": (
        lambda: (m := plane(), m.torque("T", m["b"].at(), (1, 0, 0)), m.simulate(0.1)),
        r"^T: .* leaves the plane\. Use",
    ),
    "gravity that is not a number": (
        lambda: lw.Model("m", gravity=(0, np.nan)),
        r"^m: gravity is \(0, nan\)\. Give finite",
    ),
    "nothing in it": (lambda: lw.Model("m").simulate(1), r"^m: there is no body in it\. Add one with m\.body"),
    "duration": (lambda: pendulum().simulate(0), r"^m: duration 0 s\. Give a positive number"),
    "negative duration": (lambda: pendulum().simulate(-1), r"^m: duration -1 s\. Give a positive number"),
    "output times unsorted": (
        lambda: pendulum().simulate(1, output=[0, 0.5, 0.2]),
        r"output times must increase .*Sort them",
    ),
    "output times too late": (
        lambda: pendulum().simulate(1, output=[0, 2.0]),
        r"output times must .*within the duration",
    ),
    "negative output": (lambda: pendulum().simulate(1, output=-0.1), r"output=-0\.1 s .*Give a positive"),
}


@pytest.mark.parametrize("case", MODEL_ERRORS)
def test_refused(case):
    build, message = MODEL_ERRORS[case]
    with pytest.raises(lw.ModelError, match=message):
        build()


UNKNOWN = {
    "channel": (lambda m: m.simulate(0.1)["pin.angel"], r"no channel named 'pin\.angel'\. Did you mean 'pin\.angle'"),
    "parameter": (
        lambda m: m.simulate(0.1, parameters={"lenght": 1}),
        r"^pendulum: .*no parameter named 'lenght'\. Did you mean 'length'",
    ),
    "input": (lambda m: m.simulate(0.1, inputs={"push": 1}), r"^pendulum: .*no input named 'push'\. There is no input"),
    "component": (lambda m: m["bra"], r"^pendulum: .*no component named 'bra'\. Did you mean 'bar'"),
    "solver": (lambda m: m.simulate(0.1, solver="dopri"), r"no solver named 'dopri'\. Did you mean 'dopri5'"),
    "formulation": (
        lambda m: m.simulate(0.1, formulation="absolut"),
        r"no formulation named 'absolut'\. Did you mean 'absolute'",
    ),
    "stabilisation": (
        lambda m: m.simulate(0.1, stabilisation="baumgart"),
        r"no stabilisation .*Did you mean 'baumgarte'",
    ),
    "joint of a reaction": (lambda m: m.simulate(0.1).reaction("pim"), r"no joint named 'pim'\. Did you mean 'pin'"),
    "frame of a reaction": (
        lambda m: m.simulate(0.1).reaction("pin", frame="baar"),
        r"no frame named 'baar'\. Did you mean 'bar'",
    ),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_unknown_names_suggest_the_nearest(case, example):
    use, message = UNKNOWN[case]
    with pytest.raises(lw.UnknownName, match=message):
        use(example("pendulum", length=1.0, start=0.0))


def test_unknown_verb_and_coordinate():
    m = pendulum()
    with pytest.raises(AttributeError, match=r"no component or verb named 'revolut'\. Did you mean 'revolute'"):
        m.revolut("J", m["b"].at(), m.ground.at())
    with pytest.raises(AttributeError, match=r"Revolute 'pin' has no 'angel'; its free coordinates are angle\."):
        m["pin"].angel.start(0)


def _open_loop() -> lw.Model:
    """Links of 1, 1 and 1 m between pivots 4 m apart: the loop is 1 m short."""
    m = lw.Model("short", gravity=(0, 0))
    a, b, c = (m.rod(n, length=1, mass=1) for n in "abc")
    m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0))
    m.revolute("B", a.at(0.5, 0), b.at(-0.5, 0))
    m.revolute("C", b.at(0.5, 0), c.at(-0.5, 0))
    m.revolute("D", c.at(0.5, 0), m.ground.at(4, 0))
    return m


def test_loop_that_cannot_close():
    with pytest.raises(lw.AssemblyError) as caught:
        _open_loop().assemble()
    text = str(caught.value)
    assert caught.value.component in ("A", "B", "C", "D")
    assert "cannot close" in text and all(f"{j} –" in text for j in "ABCD")
    gap = float(text.split("a gap of ")[1].split(" m")[0])
    assert 0.2 < gap < 1.1  # one metre, shared by the four pins or at one of them
    assert "Check the lengths" in text


def _slider_crank() -> lw.Model:
    m = lw.Model("slider-crank", gravity=(0, 0))
    crank, rod, piston = (m.body(n, mass=1, inertia=1) for n in ("crank", "rod", "piston"))
    m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    return m


def test_contradictory_joint_values():
    m = _slider_crank()
    m["O"].angle.start(0.0)
    m["P"].slide.start(0.9)  # it is 1.2 there
    with pytest.raises(lw.AssemblyError, match=r"cannot close.*start values of O\.angle, P\.slide.*leave out one"):
        m.assemble()


def test_contradictory_speeds():
    m = _slider_crank()
    m["O"].angle.start(0.0, rate=1.0)
    m["piston"].start(velocity=(3, 0))  # at a dead centre the piston stands still
    with pytest.raises(
        lw.AssemblyError, match=r"^slider-crank: the start speeds contradict.*velocity of piston.*Leave out"
    ):
        m.assemble()


def test_law_that_stops_being_a_number():
    m = pendulum()
    m["pin"].angle.law(lw.Effort(lambda t: lw.sqrt(0.5 - t)))
    with pytest.raises(
        lw.IntegrationError, match=r"^pin\.angle: gave the value nan at t = 0\.\d+ s\..*error\.partial"
    ) as caught:
        m.simulate(1)
    time = float(str(caught.value).split("t = ")[1].split(" s")[0])
    assert time == pytest.approx(0.5, abs=0.02)
    assert caught.value.partial.t[-1] <= 0.5 + 1e-9 and caught.value.partial.t.size > 100
    assert caught.value.partial.record["status"] == "failed"


def test_force_that_stops_being_a_number():
    m = plane()
    m.force("push", m["b"].at(), lambda t: (lw.log(0.2 - t), 0))
    with pytest.raises(lw.IntegrationError, match=r"^push: gave the value -?(nan|inf) at t = 0\.[12]"):
        m.simulate(1)


def test_python_if_on_symbols():
    m = pendulum()
    m["pin"].angle.law(lw.Effort(lambda t: 1.0 if t > 1 else 0.0))
    with pytest.raises(lw.ModelError, match=r"^pin\.angle: its function failed: .*use lw\.sin, lw\.if_else"):
        m.simulate(1)


def test_collapse_names_the_body():
    """Attraction by 1/x²: the body falls into the centre in finite time, π/(2√2)."""
    m = lw.Model("fall", gravity=(0, 0))
    b = m.body("stone", mass=1, inertia=1).start(position=(1, 0))
    m.force("pull", b.at(), lambda a: (-1 / a.p[0] ** 2, 0))
    with pytest.raises(lw.IntegrationError, match=r"^(stone|pull): .* at t = 1\.1\d* s") as caught:
        m.simulate(2)
    assert caught.value.remedy
    assert caught.value.partial["stone.x"][-1] < 0.2


def test_collapse_on_a_joint_names_it():
    """The same along a rail: the message says where, with the joint."""
    m = lw.Model("fall", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("stone", mass=1, inertia=1).at())
    rail.slide.law(lw.Effort(lambda x: -1 / x**2))
    rail.slide.start(1.0, rate=0)
    with pytest.raises(lw.IntegrationError, match=r"rail.* at t = 1\.1|at t = 1\.1\d* s.*rail"):
        m.simulate(2)


def test_input_function_that_raises():
    """An exception in a user's signal comes out as it is."""
    m = plane()
    m.force("push", m["b"].at(), (m.input("u"), 0))

    def signal_of(t: float) -> float:
        raise ZeroDivisionError("in my signal")

    with pytest.raises(ZeroDivisionError, match="in my signal"):
        m.simulate(1, inputs={"u": signal_of})


def test_damaged_cache_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    final = pendulum().simulate(1).final["b.x"]
    kept = list(tmp_path.glob("*.object"))
    assert kept
    for path in kept:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] + bytes(len(data) // 2))
    again = pendulum().simulate(1)
    assert again.final["b.x"] == final
    assert again.record["timings"]["compile"] > 0


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")
@pytest.mark.parametrize("solver", ["dopri5", "radau"])
def test_ctrl_c_returns_what_there_is(solver, example):
    m = example("double_pendulum", damping=0.0)
    m.simulate(0.1, solver=solver)  # compiled: what is interrupted is the run
    timer = threading.Timer(1.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        r = m.simulate(1e6, solver=solver, output=0.5)
    finally:
        timer.cancel()
    assert r.record["status"] == "cancelled"
    assert 0 < r.t[-1] < 1e6 and r.t.size > 1
    assert np.isfinite(r.data[:, : r.data.shape[1] - 1]).all()
