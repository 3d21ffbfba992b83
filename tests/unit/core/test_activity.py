"""What is being done is told to whoever listens."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.core.activity import announced_to, begin, instead, openended, part, reached


@pytest.fixture(autouse=True)
def _nothing_is_found(monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", "off")


def pendulum():
    m = lw.Model("pendulum")
    m.revolute("O", m.ground.at(0, 0), m.body("b", mass=1.7, inertia=0.1).at(-0.5, 0))
    return m


def test_stages_come_in_order():
    heard: list[str] = []
    with announced_to(heard.append):
        pendulum().simulate(0.1, formulation="minimal")
    begin("nothing that anybody hears")
    stages = list(dict.fromkeys(heard))
    wanted = ["deriving the equations", "assembling", "deriving the minimal equations", "compiling rhs", "running"]
    assert [stage for stage in stages if stage in wanted] == wanted
    assert "looking for stiffness" in stages and "compiling outputs" in stages


def test_stages_of_a_run_by_kernels_are_announced():
    heard: list[str] = []
    with announced_to(heard.append):
        pendulum().simulate(0.1, formulation="minimal", kernels=True)
    wanted = [
        "deriving kernels, absolute",
        "assembling",
        "deriving kernels, minimal",
        "looking for redundant joints",
        "compiling rhs",
        "running",
    ]
    assert [stage for stage in dict.fromkeys(heard) if stage in wanted] == wanted


def test_an_inner_block_hands_on_what_it_is_not_asked_to_take():
    heard: list[str] = []
    with announced_to(heard.append), announced_to(None):
        begin("this")
    assert heard == ["this"]


def test_progress_true_tells_stages_and_shares(capsys):
    pendulum().simulate(0.1, progress=True)
    told = capsys.readouterr().err
    assert "deriving the equations" in told and "compiling rhs" in told and "100%" in told


def test_shares_of_parts_are_shares_of_the_whole():
    stages: list[str] = []
    shares: list[float] = []
    with announced_to(stages.append, shares.append):
        with part(1, 4):
            reached(0.5)
            with part(0, 2):
                reached(1.0)
        with openended():
            reached(0.9)
        with instead() as (stage, share):
            begin("a case")
            reached(0.3)
            stage("all cases")
            share(0.7)
        reached(1.0)
    assert shares == [0.375, 0.375, 0.0, 0.7, 1.0] and stages == ["all cases"]


def test_runs_say_how_far_they_are():
    stages: list[str] = []
    shares: list[float] = []
    m = pendulum()
    with announced_to(stages.append, shares.append):
        m.simulate(0.1)
        m.compare(["absolute", "minimal"], 0.1)
    assert shares.count(1.0) == 2 and 0.5 in shares and "minimal" in stages


@pytest.mark.parametrize("verb", ["sweep", "sensitivity", "optimise"])
def test_studies_say_how_far_they_are(verb):
    stages: list[str] = []
    shares: list[float] = []
    m = pendulum()
    m["O"].angle.law(lw.Spring(m.parameter("k", 1.0)))
    with announced_to(stages.append, shares.append):
        if verb == "sweep":
            m.sweep({"k": [1.0, 2.0, 3.0, 4.0]}, 0.1, backend="serial", channels=["O.angle"])
            assert shares == [0.25, 0.5, 0.75, 1.0]
        elif verb == "sensitivity":
            m.sensitivity("O.angle", "k", 0.1)
            assert shares[-1] == 1.0
        else:
            m.optimise(lw.Final("O.angle"), {"k": (0.5, 2.0)}, 0.1)
            assert any("runs, best" in stage for stage in stages) and set(shares) <= {0.0, 1.0}
