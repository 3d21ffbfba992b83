"""What notebooks show: always something, never an error."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import linkwork as lw
from linkwork.core.result import Result
from linkwork.examples import slider_crank

PICTURE = "data:image/png;base64,"


def test_a_model_shows_its_picture_and_its_check():
    text = slider_crank.model()._repr_html_()
    assert PICTURE in text and "1 degree of freedom" in text


def test_a_model_that_cannot_run_says_why():
    m = lw.Model("torn <apart>")
    bar = m.body("bar", mass=1, inertia=1)
    m.distance("rod", m.ground.at(0, 0), bar.at(0, 0), length=1)
    m.fixed("weld", m.ground.at(3, 0), bar.at(0, 0))
    text = m._repr_html_()
    assert "torn &lt;apart&gt;" in text and "error" in text and PICTURE not in text


def test_models_without_bodies_and_with_many_are_shown():
    empty, many = lw.Model("empty"), lw.Model("many")
    for k in range(31):
        many.body(f"b{k}", mass=1, inertia=1)
    assert "empty" in empty._repr_html_()
    assert "31 bodies" in many._repr_html_()


def test_a_result_shows_its_plot_and_its_record():
    text = slider_crank.model().simulate(0.1, output=0.05)._repr_html_()
    assert PICTURE in text and "dopri5" in text


def test_a_result_without_samples_shows_its_record():
    text = Result([], np.empty((0, 0)), [])._repr_html_()
    assert PICTURE not in text and "<table>" in text


def test_snapshots_show_themselves():
    assert slider_crank.model().evaluate().snapshot(0.0)._repr_png_().startswith(b"\x89PNG")


def test_formulas_that_nobody_would_read_are_left_out():
    m = lw.Model("chain", gravity=(0, -9.81))
    for k in range(11):
        m.body(f"b{k}", mass=1, inertia=1)
    assert m.equations("absolute")._repr_latex_() is None
    assert slider_crank.model().equations("minimal")._repr_latex_()


def test_a_graph_without_elements_is_shown_as_text():
    assert lw.BondGraph("nothing")._repr_svg_() is None


def test_showing_is_loaded_when_something_is_shown():
    code = "import sys, linkwork as lw; lw.Model('m'); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
