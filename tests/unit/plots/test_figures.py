"""Phase plots, energy balance, drift and step size: what is drawn is what the result holds."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.program import Channel
from linkwork.plots.energy import balance

DAMPING = 0.3


@pytest.fixture(scope="module")
def swing() -> lw.Result:
    """A damped pendulum that passes its lowest point several times."""
    m = lw.Model("swing", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.law(lw.Damper(DAMPING))
    pin.angle.law(lw.Effort(0.5))
    pin.angle.start(0.5, rate=0)
    m.event("lowest", lambda angle: angle + np.pi / 2, pin.angle)
    return m.simulate(4)


def bounced() -> lw.Result:
    t = np.array([0.0, 1.0, 1.0, 2.0])
    data = np.array([[1.0, -1.0], [0.0, -2.0], [0.0, 1.0], [0.5, 0.0]])
    return lw.Result(t, data, [Channel("ball.y", "m"), Channel("ball.vy", "m/s")])


def test_phase_plot_of_a_coordinate_takes_its_rate(swing, tmp_path):
    (panel,) = swing.plot_phase("pin.angle", file=tmp_path / "phase.png").axes
    np.testing.assert_array_equal(panel.lines[0].get_xdata(), swing["pin.angle"])
    np.testing.assert_array_equal(panel.lines[0].get_ydata(), swing["pin.angle.rate"])
    assert panel.get_xlabel() == "pin angle [rad]" and panel.get_ylabel() == "pin angle rate [rad/s]"
    start, end = panel.lines[1], panel.lines[2]
    assert start.get_xdata()[0] == swing["pin.angle"][0] and end.get_xdata()[0] == swing["pin.angle"][-1]
    assert start.get_markerfacecolor() == "white"
    assert (tmp_path / "phase.png").stat().st_size > 1000


def test_paths_are_drawn_to_scale(swing):
    (panel,) = swing.plot_phase("bar.x", "bar.y").axes
    assert panel.get_aspect() == 1.0
    assert swing.plot_phase("bar.x").axes[0].get_ylabel() == "bar vx [m/s]"


def test_a_jump_in_a_phase_plot_is_dotted():
    (panel,) = bounced().plot_phase("ball.y").axes
    whole, jump = panel.lines[:2]
    assert np.isnan(whole.get_ydata()[2]) and whole.get_ydata().size == 5
    assert jump.get_linestyle() == ":" and list(jump.get_ydata()) == [-2.0, 1.0]


def test_patterns_in_phase_plots(swing):
    (panel,) = swing.plot_phase("*.angle").axes
    assert [line.get_gid() for line in panel.lines if line.get_gid()] == [
        "bar.wz (bar.angle)",
        "pin.angle.rate (pin.angle)",
    ]
    (panel,) = swing.plot_phase("pin.angle", "pin.reaction.f?").axes
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["pin reaction fx", "pin reaction fy"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("energy.total",), "no rate of this channel"),
        (("pin.angel",), "Did you mean 'pin.angle'"),
        (("pin.reaction.f?", "pin.reaction.*"), r"2 channels match.*3 match"),
        (("pin.angle", "pin.*"), r"y would have the units .*N·m.* on one axis"),
    ],
)
def test_what_makes_no_phase_plot_is_told(swing, asked, told):
    with pytest.raises(lw.LinkworkError, match=told):
        swing.plot_phase(*asked)


def test_the_stack_of_energies_ends_where_the_supplied_energy_does(swing, tmp_path):
    upper, lower = swing.plot_energy(file=tmp_path / "energy.svg").axes
    t, angle, rate = swing.t, swing["pin.angle"], swing["pin.angle.rate"]
    # Textbook: a bar of 1 kg and 1 m on a pin.
    kinetic, potential = rate**2 / 6, 9.81 * 0.5 * np.sin(angle)
    lost = np.concatenate([[0], np.cumsum(DAMPING * 0.5 * (rate[1:] ** 2 + rate[:-1] ** 2) * np.diff(t))])
    parts, given = balance(swing)
    np.testing.assert_allclose(parts["kinetic"], kinetic, atol=1e-9)
    np.testing.assert_allclose(parts["potential"], potential - potential.min(), atol=1e-9)
    np.testing.assert_allclose(parts["dissipated"], lost, atol=1e-3)
    start = kinetic[0] + potential[0] - potential.min()
    np.testing.assert_allclose(given, start + 0.5 * (angle - angle[0]), atol=1e-6)
    tops = [area.get_paths()[0].vertices[:, 1].max() for area in upper.collections[:3]]
    assert tops == pytest.approx([kinetic.max(), (parts["kinetic"] + parts["potential"]).max(), given.max()], abs=1e-6)
    (line,) = [one for one in upper.lines if one.get_gid()]
    np.testing.assert_array_equal(line.get_ydata(), given)
    off = lower.lines[0].get_ydata()
    assert np.max(np.abs(off)) < 1e-6 and lower.get_ylabel().startswith("residual [")
    shown = [text.get_text() for text in upper.get_legend().get_texts()]
    assert shown == ["kinetic", "potential", "dissipated", "at start + supplied", "event lowest"]


def test_energy_that_is_lost_shows_in_the_residual():
    """A result whose account is wrong by 0.25 J says so."""
    names = ("energy.kinetic", "energy.potential", "energy.total", "energy.dissipated", "energy.supplied")
    data = np.array([[1.0, -3.0, -2.0, 0.0, 0.0], [0.5, -2.5, -2.0, 0.5, 0.25]])
    upper, lower = lw.Result([0.0, 1.0], data, [Channel(n, "J") for n in names]).plot_energy().axes
    np.testing.assert_allclose(lower.lines[0].get_ydata(), [0.0, 0.25])
    assert len(upper.collections) == 3


def test_energies_of_any_kind_stack():
    """Only a total, as bond graphs have; a part beyond kinetic and potential; a balance that was left out."""
    t, total = [0.0, 1.0], Channel("energy.total", "J")
    assert list(balance(lw.Result(t, [[1.0], [2.0]], [total]))[0]) == ["stored"]
    three = [Channel("energy.kinetic", "J"), Channel("energy.potential", "J"), total]
    parts, given = balance(lw.Result(t, [[1.0, 1.0, 5.0], [1.0, 2.0, 6.0]], three))
    assert given is None and list(parts["otherwise stored"]) == [3.0, 3.0]
    assert len(lw.Result(t, [[1.0], [2.0]], [total]).plot_energy().axes) == 1
    with pytest.raises(lw.LinkworkError, match="no energies"):
        bounced().plot_energy()


def test_drift_is_logarithmic_and_says_how_the_run_was_made(swing):
    panels = swing.plot_drift().axes
    assert [p.get_ylabel().partition(" [")[0] for p in panels] == [
        "position residual",
        "velocity residual",
        "energy residual",
    ]
    assert {p.get_yscale() for p in panels} == {"log"}
    drawn = panels[0].lines[0].get_ydata()
    kept = swing["residual.position"] != 0
    np.testing.assert_array_equal(drawn[kept], swing["residual.position"][kept])
    assert np.all(np.isnan(drawn[~kept])) and "dopri5" in panels[0].get_title(loc="right")
    with pytest.raises(lw.LinkworkError, match="no residuals"):
        bounced().plot_drift()


def test_a_drift_of_zero_is_said_not_drawn():
    zero = lw.Result([0.0, 1.0], [[0.0], [0.0]], [Channel("residual.position", "m")])
    assert [text.get_text() for text in zero.plot_drift().axes[0].texts] == ["zero throughout"]


def test_step_sizes(swing, tmp_path):
    (panel,) = swing.plot_steps(file=tmp_path / "steps.pdf").axes
    assert panel.get_yscale() == "log" and panel.get_ylabel() == "step size [s]"
    seen = panel.lines[0].get_ydata()
    np.testing.assert_array_equal(seen[1:], swing["solver.step"][1:])
    shown = [x.get_text() for x in panel.get_yticklabels() if x.get_text()]
    assert shown and all(text.startswith("10") for text in shown)
    with pytest.raises(lw.LinkworkError, match="no step sizes"):
        bounced().plot_steps()


def test_figures_of_a_loaded_result(swing, tmp_path):
    swing.save(tmp_path / "run.nc")
    again = lw.Result.load(tmp_path / "run.nc")
    for draw in (again.plot, again.plot_energy, again.plot_drift, again.plot_steps):
        assert draw().axes
    assert again.plot("pin.angle").axes[0].collections  # events too
