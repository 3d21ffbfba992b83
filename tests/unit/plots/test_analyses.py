"""Figures of comparisons, modes and root loci, and figures made by commands."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.app import main


@pytest.fixture(scope="module")
def compared() -> lw.Comparison:
    m = lw.Model("swing", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)).angle.start(0, rate=0)
    return m.compare(["absolute", "minimal", "compliant"], 0.5, reference="minimal")


def test_overlay_shows_every_run_and_its_difference(compared, tmp_path):
    upper, lower = compared.plot_overlay("bar.vy", file=tmp_path / "overlay.svg").axes
    for line, run in zip(upper.lines, ("minimal", "absolute", "compliant"), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), compared.results[run]["bar.vy"])
    assert [text.get_text() for text in upper.get_legend().get_texts()] == ["minimal", "absolute", "compliant"]
    for line, run in zip(lower.lines, ("absolute", "compliant"), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), compared.difference(run, "bar.vy")[1])
    assert compared.plot_overlay("bar.v?", log=True).axes[3].get_yscale() == "log"
    with pytest.raises(lw.LinkworkError, match=r"Did you mean 'bar\.vy'"):
        compared.plot_overlay("bar.vyy")


def test_runs_that_agree_hide_no_other():
    """Dashes take turns: at any place along the line exactly one run is drawn."""
    from linkwork.plots.comparison import _turn

    count, dash = 4, _turn(0, 4)[1][0]
    for place in np.arange(0, 3 * count * dash, 0.5) + 0.1:
        on = 0
        for k in range(count):
            offset, (drawn, gap) = _turn(k, count)
            on += (place + offset) % (drawn + gap) < drawn
        assert on == 1


def two_masses() -> lw.Model:
    """Two equal masses between three equal springs: they move together (ω² = k/m) or against each other (3 k/m)."""
    m = lw.Model("two masses", gravity=(0, 0))
    k = m.parameter("k", 100.0, unit="N/m")
    a, b = (m.body(name, mass=1, inertia=1) for name in "ab")
    pa = m.prismatic("P", m.ground.at(0, 0), a.at(0, 0))
    pb = m.prismatic("Q", m.ground.at(0, 0), b.at(0, 0))
    pa.slide.law(lw.Spring(k))
    pb.slide.law(lw.Spring(k))
    m.spring("S", a.at(0, 0), b.at(1, 0), stiffness=k, length=1)
    pa.slide.start(0)
    pb.slide.start(0)
    return m


def test_mode_shapes(tmp_path):
    near = two_masses().linearize()
    first, second = near.plot_modes(file=tmp_path / "modes.pdf").axes
    for panel, shape, frequency in ((first, (1, 1), 10.0), (second, (1, -1), np.sqrt(300))):
        widths = np.array([bar.get_width() for bar in panel.patches])
        np.testing.assert_allclose(widths * np.sign(widths[0]), shape, atol=1e-6)
        assert panel.get_title(loc="left").startswith(f"{frequency / (2 * np.pi):.4g} Hz")
    assert [text.get_text() for text in first.get_yticklabels()] == ["P slide", "Q slide"]
    assert first.get_xlabel() == "relative motion [m]"
    assert len(near.plot_modes(1).axes) == 1
    with pytest.raises(lw.LinkworkError, match="no modes"):
        near.plot_modes(0)


def test_eigenvalues_of_an_undamped_system_stay_on_the_axis():
    """Rounding errors of the real parts are not blown up."""
    panel = two_masses().linearize().plot().axes[0]
    x = np.concatenate([line.get_xdata() for line in panel.lines if line.get_marker() == "x"])
    assert x.size == 4 and np.all(x == 0) and panel.get_xlim() == (-1, 1)


def test_root_locus_marks_its_ends(tmp_path):
    panel, bar = two_masses().root_locus("k", np.linspace(50, 200, 4)).plot(file=tmp_path / "locus.png").axes
    ends = {line.get_marker(): np.sort(line.get_ydata()) for line in panel.lines if line.get_marker() in ("o", "s")}
    np.testing.assert_allclose(ends["o"], [-np.sqrt(150), -np.sqrt(50), np.sqrt(50), np.sqrt(150)], rtol=1e-6)
    assert bar.get_ylabel() == "k [N/m]"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["--plot", "pin.angle, pin.reaction.*"], ["pin.angle", "pin.reaction.fx", "pin.reaction.mz"]),
        (["--figure", "phase", "--plot", "pin.angle"], ["pin.angle.rate (pin.angle)"]),
        (["--figure", "phase", "--plot", "bar.x, bar.y"], ["bar.y (bar.x)"]),
        (["--figure", "energy"], ["energy.kinetic", "energy.residual"]),
        (["--figure", "drift"], ["residual.position"]),
        (["--figure", "steps"], ["solver.step"]),
    ],
)
def test_run_draws_what_is_asked_for(folder, words, ids):
    assert main(["run", "pendulum", "0.2", "-q", *words, "-o", "figure.svg"]) == 0
    text = (folder / "figure.svg").read_text("utf-8")
    assert all(f'id="{one}"' in text for one in ids)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--plot", "pin.angel"], 2, "Did you mean 'pin.angle'"),
        (["--plot", "pn.*"], 2, "Did you mean 'pin.*'"),
        (["--plot", ","], 1, "--plot: no channel is named"),
        (["--figure", "phase"], 1, "Name one or two"),
        (["-o", "figure.jpeg"], 1, "Use one of: .svg, .png, .pdf"),
        (["-o", "nowhere/figure.svg"], 1, "cannot be written"),
    ],
)
def test_what_run_cannot_draw_is_told(folder, capsys, words, code, told):
    assert main(["run", "pendulum", "0.2", "-q", *words]) == code
    assert told in " ".join(capsys.readouterr().err.split())
    assert not list(folder.glob("figure*"))


def test_compare_and_linearize_draw(folder, capsys):
    overlay = ["--overlay", "--channel", "bar.vy", "-o", "overlay.svg"]
    assert main(["compare", "pendulum", "0.2", "--formulations", "absolute,minimal", "-q", *overlay]) == 0
    assert 'id="reference bar.vy"' in (folder / "overlay.svg").read_text("utf-8")
    assert main(["linearize", "pendulum", "--equilibrium", "--modes", "-o", "modes.svg"]) == 0
    assert "relative motion [rad]" in (folder / "modes.svg").read_text("utf-8")
    assert main(["linearize", "pendulum", "--modes", "--locus", "g=1:2:3", "-o", "no.svg"]) == 1
    assert "Leave --locus out" in capsys.readouterr().err
