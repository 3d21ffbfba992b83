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
from linkwork.plots.formats import SUFFIXES
from linkwork.plots.series import suggested

NAMES = {"O.angle": "rad", "O.angle.rate": "rad/s", "A.x": "m", "A.y": "m", "energy.total": "J"}


def run(**options) -> Result:
    t = np.linspace(0, 1, 11)
    data = np.stack([(i + 1) * t for i in range(len(NAMES))], axis=1)
    return Result(t, data, [Channel(*item) for item in NAMES.items()], **options)


def test_channels_of_equal_unit_share_a_panel():
    figure = run(record={"model": "arm"}).plot("A.*", "O.angle")
    top, bottom = figure.axes
    assert [line.get_label() for line in top.lines] == ["A.x", "A.y"]
    assert top.get_ylabel() == "position [m]" and bottom.get_ylabel() == "O.angle [rad]"
    assert bottom.get_xlabel() == "time [s]" and top.get_title(loc="left") == "arm"
    np.testing.assert_allclose(top.lines[1].get_ydata(), run()["A.y"])
    assert top.get_legend() is not None and bottom.get_legend() is None


def test_without_channels_the_sensible_ones_are_shown():
    assert suggested(run(record={"show": ["A.y"]})) == ["A.y"]
    assert suggested(run(description={"joints": {"O": {}}})) == ["O.angle", "energy.total"]
    assert suggested(Result([0.0], [[1.0, 2.0]], [Channel("p"), Channel("q")])) == ["p", "q"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files(tmp_path, suffix):
    run().plot("A.x", file=tmp_path / f"a{suffix}")
    starts = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert (tmp_path / f"a{suffix}").read_bytes().startswith(starts[suffix])


def test_notebooks_get_an_image():
    assert run().plot("A.x")._repr_png_().startswith(b"\x89PNG")


def test_a_result_with_nothing_in_it_can_be_drawn():
    assert len(Result([], np.empty((0, 1)), [Channel("x")]).plot("x").axes) == 1
    with pytest.raises(LinkworkError, match="no channel"):
        Result([0.0], np.empty((1, 0)), []).plot()


def test_errors_name_the_channel_or_the_suffix(tmp_path):
    with pytest.raises(UnknownName, match=r"A\.x"):
        run().plot("A.xx")
    with pytest.raises(LinkworkError, match=r"\.svg, \.png, \.pdf"):
        run().plot("A.x", file=tmp_path / "a.bmp")


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
from linkwork.core.program import Channel
from linkwork.core.result import Result
Result([0.0, 1.0], [[1.0], [2.0]], [Channel("x")]).plot("x").savefig(io.BytesIO(), format="svg")
sys.exit("matplotlib.pyplot" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
