"""What is being done is told to whoever listens."""

from __future__ import annotations

import linkwork as lw
from linkwork.cli.progress import ProgressBar
from linkwork.core.activity import announced_to, begin


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


def test_an_inner_block_hands_on_what_it_is_not_asked_to_take():
    heard: list[str] = []
    with announced_to(heard.append), announced_to(None):
        begin("this")
    assert heard == ["this"]


def test_progress_true_tells_stages_and_shares(capsys):
    pendulum().simulate(0.1, progress=True)
    told = capsys.readouterr().err
    assert "deriving the equations" in told and "compiling rhs" in told and "100%" in told


def test_the_bar_of_the_command_line_hears_them():
    with ProgressBar("pendulum", quiet=True) as bar:
        pendulum().simulate(0.1, progress=bar)
        assert bar._described().startswith("pendulum: ") and bar._done == 1.0
    begin("nothing")
    assert bar._described() != "pendulum: nothing"
