"""Equations as text, LaTeX, SymPy, Python and C, as they were when someone last read them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from linkwork.examples import double_pendulum, hydraulic_jack, pendulum, slider_crank, spinning_top

from ..unit.export.equation_models import switched_slider
from .golden import compare

MODELS = {
    "pendulum": pendulum.model,
    "double-pendulum": double_pendulum.model,
    "slider-crank": slider_crank.model,
    "hydraulic-jack": hydraulic_jack.model,
    "spinning-top": spinning_top.model,
    "switched-slider": switched_slider,
}
FORMULATIONS = ("absolute", "compliant", "minimal", "points", "bondgraph", "acausal")
READ = [(name, "minimal") for name in MODELS] + [("slider-crank", f) for f in FORMULATIONS if f != "minimal"]
CODE = [("pendulum", f) for f in FORMULATIONS] + [("hydraulic-jack", "minimal")]


@cache
def sheet(model: str, formulation: str) -> Any:
    return MODELS[model]().equations(formulation)


@pytest.mark.parametrize(("model", "formulation"), READ)
def test_text(model: str, formulation: str, request: pytest.FixtureRequest) -> None:
    compare(f"equations/{model}-{formulation}.txt", sheet(model, formulation).text(), request)


@pytest.mark.parametrize(("model", "formulation"), READ)
def test_latex(model: str, formulation: str, request: pytest.FixtureRequest) -> None:
    compare(f"equations/{model}-{formulation}.tex", sheet(model, formulation).latex(), request)


@pytest.mark.parametrize(("model", "formulation"), CODE)
def test_c(model: str, formulation: str, request: pytest.FixtureRequest) -> None:
    for file, text in sheet(model, formulation).c("golden").items():
        if file != "main.c" or formulation == "minimal":
            compare(f"equations/{model}-{formulation}.{file.replace('golden.', '')}", text, request)


@pytest.mark.parametrize(("model", "formulation"), CODE[:3])
def test_python(model: str, formulation: str, request: pytest.FixtureRequest) -> None:
    compare(f"equations/{model}-{formulation}.py.txt", sheet(model, formulation).python(), request)
