"""Plots of channels over time."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import linkwork.plots  # noqa: F401  (attaches Result.plot)
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.plots.channels import suggested
from linkwork.plots.formats import SUFFIXES

NAMES = {"O.angle": "rad", "O.angle.rate": "rad/s", "A.x": "m", "A.y": "m", "energy.total": "J"}


def run(**options) -> Result:
    t = np.linspace(0, 1, 11)
    data = np.stack([(i + 1) * t for i in range(len(NAMES))], axis=1)
    return Result(t, data, [Channel(*item) for item in NAMES.items()], **options)


def test_channels_of_equal_unit_share_a_panel():
    figure = run(record={"model": "arm"}).plot("A.*", "O.angle")
    top, bottom = figure.axes
    assert [line.get_label() for line in top.lines] == ["A x", "A y"]
    assert [line.get_gid() for line in top.lines] == ["A.x", "A.y"]
    assert top.get_ylabel() == "position [m]" and bottom.get_ylabel() == "O angle [rad]"
    assert bottom.get_xlabel() == "time [s]" and top.get_title(loc="left") == "arm"
    np.testing.assert_allclose(top.lines[1].get_ydata(), run()["A.y"])
    assert top.get_legend() is not None and bottom.get_legend() is None


def test_a_list_has_panels_of_its_own_and_commas_part_patterns():
    panels = run().plot(["A.x"], "O.angle, A.y", "A.x").axes
    assert [[line.get_gid() for line in p.lines] for p in panels] == [["A.x"], ["O.angle"], ["A.y", "A.x"]]


def test_without_channels_the_sensible_ones_are_shown():
    assert suggested(run(record={"show": ["A.y"]})) == ["A.y"]
    assert suggested(run(description={"joints": {"O": {}}})) == ["O.angle", "energy.total"]
    assert suggested(Result([0.0], [[1.0, 2.0]], [Channel("p"), Channel("q")])) == ["p", "q"]


def test_a_jump_is_upright():
    """Both samples of one time are drawn, one after the other."""
    ball = Result([0.0, 1.0, 1.0, 2.0], [[-1.0], [-2.0], [2.0], [1.0]], [Channel("v", "m/s")])
    (line,) = ball.plot("v").axes[0].lines
    x, y = line.get_xdata(), line.get_ydata()
    assert x[1] == x[2] == 1.0 and (y[1], y[2]) == (-2.0, 2.0)


def test_events_are_marked_in_every_panel_and_named_once():
    hits = [(0.2, "ground.hit"), (0.6, "ground.hit"), (0.7, "stop")]
    top, bottom = run(events=hits).plot("A.x", "O.angle").axes
    for panel in (top, bottom):
        times = [float(path.vertices[0, 0]) for marks in panel.collections for path in marks.get_paths()]
        assert times == [0.2, 0.6, 0.7]
    assert [text.get_text() for text in top.get_legend().get_texts()] == ["A x", "event ground hit", "event stop"]
    assert bottom.get_legend() is None
    assert not run(events=hits).plot("A.x", events=False).axes[0].collections
    crowd = run(events=[(0.01 * k, "e") for k in range(100)]).plot("A.x").axes[0]
    assert crowd.collections[0].get_paths()[0].vertices[0, 1] > 0.9  # ticks at the edge, not a hundred lines
    assert crowd.get_ylim()[1] < 3.5  # and they do not count as data
    kinds = run(events=[(0.1 * k, f"valve{k}") for k in range(6)]).plot("A.x").axes[0]
    assert [text.get_text() for text in kinds.get_legend().get_texts()] == ["A x", "6 events"]


def test_a_second_run_goes_on_top_of_the_first():
    figure = run().plot("A.x", "O.angle", label="first")
    again = run().plot("A.x", "O.angle", axes=figure.axes, label="second")
    assert again is figure
    first, second = figure.axes[0].lines
    assert first.get_color() != second.get_color()
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == ["A x, first", "A x, second"] and figure.axes[0].get_ylabel() == "A x [m]"
    with pytest.raises(LinkworkError, match=r"2 units need as many axes.*\[m\], \[rad\]"):
        run().plot("A.x", "O.angle", axes=figure.axes[0])


def test_axes_of_the_user(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    run().plot("A.*", "O.angle", axes=(left, right), title="mine", file=tmp_path / "mine.svg")
    assert len(left.lines) == 2 and left.get_legend() is not None and left.get_title(loc="left") == "mine"
    assert left.get_xlabel() == right.get_xlabel() == "time [s]"
    assert "position [m]" in (tmp_path / "mine.svg").read_text("utf-8")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files(tmp_path, suffix):
    run().plot("A.x", file=tmp_path / f"a{suffix}")
    run().plot("A.x", file=tmp_path / f"b{suffix.upper()}")
    starts = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    written = (tmp_path / f"a{suffix}").read_bytes()
    assert written.startswith(starts[suffix])
    assert written == (tmp_path / f"b{suffix.upper()}").read_bytes()  # the same figure gives the same file


def test_lines_are_found_by_channel_in_svg_and_text_stays_text(tmp_path):
    run().plot("A.*", file=tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert 'id="A.x"' in text and 'id="A.y"' in text and ">A x<" in text


def test_notebooks_get_an_image():
    assert run().plot("A.x")._repr_png_().startswith(b"\x89PNG")


def test_a_result_with_nothing_in_it_can_be_drawn(tmp_path):
    nothing = Result([], np.empty((0, 1)), [Channel("x")]).plot("x", file=tmp_path / "empty.png")
    assert len(nothing.axes) == 1
    Result([0.0, 1.0], [[np.nan], [np.inf]], [Channel("x", "m")]).plot("x", file=tmp_path / "nan.svg")
    with pytest.raises(LinkworkError, match="no channel"):
        Result([0.0], np.empty((1, 0)), []).plot()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("A.xx", r"'A\.xx'.*'A\.x'"),
        ("B.*", r"no channel named 'B\.\*'.*'A\.\*'"),
        ("O.agnle*", r"'O\.agnle\*'.*Did you mean 'O\.angle'"),
        ("", "'' names no channel.*O.angle"),
        (" , ", "names no channel"),
        (3, "3 is not a name of a channel"),
    ],
)
def test_what_is_no_channel_is_told_with_the_nearest(asked, told):
    with pytest.raises(LinkworkError, match=told):
        run().plot(asked)


def test_unknown_channels_are_key_errors_too():
    with pytest.raises(UnknownName):
        run().plot("A.xx")


def test_files_that_cannot_be_written_are_told(tmp_path):
    for name in ("a.bmp", "a"):
        with pytest.raises(LinkworkError, match=r"\.svg, \.png, \.pdf"):
            run().plot("A.x", file=tmp_path / name)
    with pytest.raises(LinkworkError, match=r"nowhere.*cannot be written.*folder exists"):
        run().plot("A.x", file=tmp_path / "nowhere" / "a.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(LinkworkError, match=r"folder\.svg.*cannot be written"):
        run().plot("A.x", file=tmp_path / "folder.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]  # no draft is left behind


def test_windows_are_asked_for_elsewhere():
    with pytest.raises(LinkworkError, match=r"no window.*pyplot"):
        run().plot("A.x").show()


def test_the_users_own_settings_are_left_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    run().plot("A.x")._repr_png_()
    assert dict(matplotlib.rcParams) == before


def test_drawing_needs_no_pyplot():
    """pyplot and its interactive backends would double the start-up time of a command."""
    code = """
import sys, io
import linkwork.plots
assert "matplotlib" not in sys.modules
from linkwork.core.program import Channel
from linkwork.core.result import Result
Result([0.0, 1.0], [[1.0], [2.0]], [Channel("x")]).plot("x").savefig(io.BytesIO(), format="svg")
sys.exit("matplotlib.pyplot" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_no_text_is_set_as_a_formula(monkeypatch, tmp_path):
    """The first formula that Matplotlib sets takes 0.1 s."""
    from matplotlib.mathtext import MathTextParser

    def refuse(self, text, *_):
        raise AssertionError(text)

    monkeypatch.setattr(MathTextParser, "parse", refuse)
    channels = [Channel("crank.wz", "rad/s"), Channel("residual.position", "m"), Channel("solver.step", "s")]
    result = Result([0.0, 1.0, 2.0], [[1.0, 1e-7, 1e-3], [2.0, 2e-5, 2e-3], [3.0, 3e-6, 2e-3]], channels)
    for draw in (result.plot, result.plot_drift, result.plot_steps):
        draw(file=tmp_path / "a.svg")


def wild(samples: int) -> Result:
    t = np.linspace(0, 100, samples)
    noise = np.random.default_rng(0).normal(size=t.size)
    return Result(t, np.stack([np.sin(50 * t), noise], 1), [Channel("a", "m"), Channel("b", "N")])


def test_a_million_samples_make_no_file_that_nobody_can_open(tmp_path):
    wild(1_000_000).plot("b", file=tmp_path / "series.svg")
    assert (tmp_path / "series.svg").stat().st_size < 1e6


@pytest.mark.slow
@pytest.mark.slow
def test_more_line_than_agg_takes_at_once(tmp_path):
    wild(1_000_000).plot_phase("a", "b", file=tmp_path / "phase.png")
    assert (tmp_path / "phase.png").stat().st_size > 1000
