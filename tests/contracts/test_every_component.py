"""Every component × every formulation: the same channels with the same values, or a refusal that names what to do."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest

import linkwork as lw
from linkwork.core import registry

from .every_component import COMPONENTS
from .support import CHANGING, FORMULATIONS, SOFT, Outcome, rows_of_page, verb_row


def judged(component: str, formulations: Sequence[str]) -> Outcome:
    """What they make of it: the same, or a refusal with a remedy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        outcome = Outcome(component, formulations)
    assert outcome.taken, "no formulation takes it"
    for formulation, error in outcome.refusals.items():
        assert error.component and error.remedy, formulation
    first, *others = outcome.taken.items()
    for formulation, values in others:
        assert set(values) == set(first[1]), formulation
        for name, value in values.items() if formulation not in SOFT else ():
            assert value == pytest.approx(first[1][name], rel=1e-6, abs=1e-6), (formulation, name)
    return outcome


@pytest.mark.parametrize("component", COMPONENTS)
def test_formulations_agree_or_refuse(component: str) -> None:
    """`absolute`, `acausal`, which takes most, and one more that changes from component to component."""
    number = sorted(COMPONENTS).index(component)
    others = [f for f in FORMULATIONS if f not in ("absolute", "acausal")]
    chosen = ["absolute", "acausal", others[number % len(others)]]
    outcome, cells = judged(component, chosen), rows_of_page()[component].split(" | ")
    for formulation in chosen:
        said = cells[FORMULATIONS.index(formulation)]
        assert said == outcome.cell(formulation), "docs/support.md: run python -m tests.contracts.support"


@pytest.mark.slow
@pytest.mark.parametrize("component", COMPONENTS)
def test_all_formulations_agree_or_refuse(component: str) -> None:
    outcome = judged(component, FORMULATIONS)
    assert rows_of_page().get(component) == outcome.row(), "docs/support.md: run python -m tests.contracts.support"


@pytest.mark.parametrize("verb", [v for v in registry.verbs if v not in CHANGING])
def test_page_says_what_verbs_take(verb: str) -> None:
    assert rows_of_page().get(verb) == verb_row(verb), "docs/support.md: run python -m tests.contracts.support"


def test_formulations_in_the_page() -> None:
    assert len(FORMULATIONS) == 10
