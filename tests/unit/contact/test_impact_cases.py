"""What rigid contacts refuse, tell and record; the problem of complementarity on its own."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Ball
from linkwork.contact.complementarity import ContactRows, solve


def ball(**options) -> lw.Model:
    m = lw.Model("ball")
    body = m.body("ball", mass=1.0, inertia=0.01).start(position=(0, 0.6))
    m.rigid_contact("floor", body, radius=0.1, **options)
    return m


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"restitution": 1.2}, "restitution"),
        ({"restitution": -0.1}, "restitution"),
        ({"friction": -1}, "friction"),
        ({"friction": 0.4, "static": 0.3}, "static"),
        ({"rest": 0}, "rest"),
        ({"shape": Ball(0.1)}, "radius and shape"),
    ],
)
def test_wrong_numbers_are_refused(options, word):
    with pytest.raises(lw.ModelError, match=word):
        ball(**options)


def test_a_start_inside_the_ground_is_refused():
    m = ball()
    m["ball"].start(position=(0, 0.05))
    with pytest.raises(lw.ModelError, match=r"floor: it starts 0\.05 m inside"):
        m.simulate(1.0)


def test_options_that_do_not_fit_say_so():
    with pytest.raises(lw.ModelError, match="Baumgarte"):
        ball().simulate(1.0, stabilisation="baumgarte")
    with pytest.raises(lw.ModelError, match="partition"):
        ball().simulate(1.0, loops="partition")


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.linearize(),
        lambda m: m.equilibrium(),
        lambda m: m.equations(),
        lambda m: m.sensitivity("ball.y", "mu", 1.0),
        lambda m: m.kinematics(1.0),
        lambda m: m.inverse_dynamics({}, duration=1.0),
        lambda m: m.bondgraph(),
    ],
    ids=["linearize", "equilibrium", "equations", "sensitivity", "kinematics", "inverse_dynamics", "bondgraph"],
)
def test_verbs_that_need_smooth_equations_refuse(ask):
    m = ball()
    m.parameter("mu", 0.1)
    with pytest.raises(lw.ModelError, match="floor: it opens, closes, sticks or slides"):
        ask(m)


def test_assembly_and_check_leave_contacts_open():
    m = ball()
    assert m.check().degrees_of_freedom == 3
    assert m.assemble().placement.position["ball"][1] == pytest.approx(0.6)


def test_evaluate_closes_what_touches():
    m = ball()
    m["ball"].start(position=(0, 0.1))
    assert m.evaluate().final["floor.normal"] == pytest.approx(9.81)
    assert m.evaluate().final["ball.ay"] == pytest.approx(0, abs=1e-12)


def test_a_result_has_both_sides_of_a_jump(tmp_path):
    r = ball(restitution=0.5).simulate(0.5, output=0.05)
    (hit,) = (t for t, name in r.events if name == "floor hits")
    assert np.all(np.diff(r.t) >= 0)
    assert np.sum(r.t == hit) == 2
    before, after = r["ball.vy"][r.t == hit]
    assert after == pytest.approx(-0.5 * before)
    assert r.at(hit - 1e-6)["ball.vy"] == pytest.approx(before, abs=1e-4)
    assert r.at(hit + 1e-6)["ball.vy"] == pytest.approx(after, abs=1e-4)
    r.save(tmp_path / "jump.csv")
    assert lw.Result.load(tmp_path / "jump.csv").events == r.events
    assert len(r.plot("ball.vy").axes) >= 1


def test_an_event_of_the_user_still_ends_the_run():
    m = ball(restitution=0.9)
    m.event("top", lambda b: b.v[1], m["ball"].at(), direction=-1, action="stop")
    r = m.simulate(5.0, output=0.1)
    assert [name for _, name in r.events] == ["floor hits", "top"]
    assert r.t[-1] == pytest.approx(np.sqrt(2 * 0.5 / 9.81) * 1.9, abs=1e-9)


def test_times_asked_for_are_all_there():
    wanted = np.linspace(0, 1.5, 31)
    r = ball(restitution=0.7).simulate(1.5, output=wanted)
    assert np.isin(wanted, r.t).all()


def test_a_moving_surface_is_given_by_height_and_time():
    """A plate that rises by itself does work on what lies on it."""
    m = lw.Model("lift")
    body = m.body("body", mass=2.0, inertia=0.1).start(position=(0, 0.0))
    m.rigid_contact("plate", body, height=lambda x: 0.1 * (1 - lw.cos(2 * m.t)))
    r = m.simulate(1.0, output=0.1)
    np.testing.assert_allclose(r["body.y"], 0.1 * (1 - np.cos(2 * r.t)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(r["energy.supplied"], r["energy.total"] - r["energy.total"][0], rtol=0, atol=1e-7)


def test_dry_friction_and_a_motion_contradict_each_other():
    m = lw.Model("driven")
    rail = m.prismatic("rail", m.ground.at(), m.body("b", mass=1.0, inertia=1.0).at())
    m.dry_friction("rub", rail.slide, 1.0)
    rail.slide.law(lw.Motion(lambda t: t))
    with pytest.raises(lw.ModelError, match="rub: the motion of rail.slide is given"):
        m.simulate(1.0)


def check_solution(W, b, seats, F):
    """The conditions themselves, whatever way the forces were found."""
    u = W @ F + b
    for seat in seats:
        N, un = F[seat.normal], u[seat.normal]
        assert N >= -1e-9
        assert un >= -1e-9
        assert abs(N * un) < 1e-8
        rows = list(seat.tangential)
        T, slip = F[rows], u[rows]
        assert np.linalg.norm(T) <= seat.friction * N + 1e-8
        if np.linalg.norm(slip) > 1e-7:
            np.testing.assert_allclose(T, -seat.friction * N * slip / np.linalg.norm(slip), rtol=0, atol=1e-7)


@pytest.mark.parametrize("across", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_complementarity_holds_for_random_contacts(across, seed):
    rng = np.random.default_rng(seed)
    contacts, size = 3, 1 + across
    A = rng.standard_normal((contacts * size, 10))
    W, b = A @ A.T, rng.standard_normal(contacts * size)
    seats = [
        ContactRows(str(k), size * k, tuple(range(size * k + 1, size * (k + 1))), 0.3, 0.3, 0.0)
        for k in range(contacts)
    ]
    F, _ = solve(W, b, seats)
    check_solution(W, b, seats, F)


def test_jamming_is_told():
    """Painlevé's rod: pushed into the ground by its own friction, no force can stop it."""
    seat = ContactRows("tip", 0, (1,), 2.0, 2.0, 0.0, direction=np.array([1.0]))
    with pytest.raises(lw.LinkworkError, match="Painlevé"):
        solve(np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([-1.0, 0.0]), [seat])


def test_a_rod_that_jams_is_stopped_by_an_impulse():
    """Painlevé's rod slides with more friction than forces can go on with: an impact without collision ends its slip.

    By hand: the tip has no speed afterwards, and its impulse moves the rod by mass and inertia alone.
    """
    m = lw.Model("rod")
    rod = m.body("rod", mass=1.0, inertia=1 / 12)
    rod.start(position=(0.25, np.sqrt(3) / 4), angle=np.pi / 3, velocity=(-5, 0))
    m.rigid_contact("tip", rod.at(-0.5, 0), friction=3.0)
    r = m.simulate(0.1)
    assert r.events[0] == (0.0, "tip jams")
    x, y = -0.25, -np.sqrt(3) / 4
    W = np.array([[1 + 12 * y * y, -12 * x * y], [-12 * x * y, 1 + 12 * x * x]])
    P = np.linalg.solve(W, [5.0, 0.0])
    assert abs(P[0]) <= 3.0 * P[1]
    after = (-5 + P[0], P[1], 12 * (x * P[1] - y * P[0]))
    assert (r["rod.vx"][0], r["rod.vy"][0], r["rod.wz"][0]) == pytest.approx(after, rel=1e-7)
    lost = 12.5 - (after[0] ** 2 + after[1] ** 2 + after[2] ** 2 / 12) / 2
    assert r["energy.dissipated"][0] == pytest.approx(lost, rel=1e-7)


G = 9.81


LEGS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def table(aside: float = 0.0, legs=LEGS) -> lw.Model:
    """4 kg on legs with μ = 0.3, pushed along the ground by 12 N/s."""
    m = lw.Model("table", gravity=(0, 0, -G))
    top = m.box("top", (1, 1, 0.1), mass=4).start(position=(0, 0, 0.5), velocity=(0, 0, 0), spin=(0, 0, 0))
    for k, (x, y) in enumerate(legs):
        m.rigid_contact(f"leg{k}", top.at(x, y, -0.5), friction=0.3)
    m.force("push", top.at(0, aside, -0.5), lambda t: (12 * t, 0, 0))
    return m


@pytest.mark.parametrize("legs", [LEGS, (*LEGS[:2], (0, 0.5))])
def test_all_legs_of_a_table_slip_at_once(legs):
    r = table(legs=legs).simulate(1.2)
    start = 0.3 * G * 4 / 12
    assert [name for _, name in r.events] == [f"leg{k} slips" for k in range(len(legs))]
    assert [t for t, _ in r.events] == pytest.approx([start] * len(legs), abs=1e-8)
    assert r["top.x"][-1] == pytest.approx((1.2 - start) ** 3 / 2, rel=1e-5)


def test_a_table_pushed_aside_turns_and_does_not_stick_again():
    """No load beyond the limit of all legs can stick. Friction that turns with a tiny slip is stiff, which is seen."""
    r = table(aside=0.1).simulate(1.1)
    assert "radau" in r.record["solver"] and r.record["statistics"]["accepted"] < 40_000
    assert r["leg0.mode"][-1] == r["leg2.mode"][-1] == 2
    assert abs(r["top.vx"][r.t < 0.96]).max() < 1e-12
    assert r["top.vx"][-1] > 0.01 and r["top.wz"][-1] < -0.005
    assert np.ptp(r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]) < 1e-7


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau"])
def test_energy_of_a_bounce_does_not_depend_on_where_steps_meet_the_floor(solver):
    m = lw.Model("ball")
    ball = m.body("ball", mass=2, inertia=0.008).start(position=(0, 1.1), angle=0)
    m.contact("floor", ball, radius=0.1, stiffness=1e6)
    for step in (0.03, 0.011, 0.003):
        r = m.simulate(1.2, rtol=1e-10, atol=1e-12, max_step=step, solver=solver)
        assert np.ptp(r["energy.total"]) < 7e-7, step


def test_a_rebound_lower_than_rounding_ends_on_the_ground():
    """A tumbling hull: corners that hardly leave are found again where they should be at their highest."""
    rng = np.random.default_rng(19)
    gravity = (rng.normal(), 0, -G)
    rng.integers(0, 4)
    size = tuple(0.2 + 0.2 * rng.random(3))
    m = lw.Model("hull", gravity=gravity)
    body = m.box("body", size, mass=1)
    hull = lw.outlines.Convex(rng.normal(size=(5, 3)) * 0.15)
    turned, velocity, spin = rng.normal(size=4), tuple(rng.normal(size=3)), tuple(2 * rng.normal(size=3))
    body.start(position=(0, 0, 0.6), rotation=tuple(turned / np.linalg.norm(turned)), velocity=velocity, spin=spin)
    friction, _ = rng.random(), rng.random()
    m.rigid_contact("road", body, shape=hull, restitution=rng.random() * 0.6, friction=friction)
    r = m.simulate(0.45)
    assert min(r[name].min() for name in r.names("road.*.gap")) > -1e-8
