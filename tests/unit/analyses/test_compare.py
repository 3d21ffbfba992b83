"""Compare: the same motion in several formulations, what is compared, and what is not."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.program import Channel
from linkwork.examples import wheelset
from linkwork.simulation.deviations import comparable, deviation, difference

BND = lw.Compliance(stiffness=1e7, damping=200)
"""Stiffness [N/m] and damping [N·s/m] of the R/C elements in BND 4.2.5."""


@pytest.fixture(scope="module")
def spatial(example):
    return example("slider_crank_spatial", redundant=True).compare(["absolute", "minimal"], 1, channels="piston.vx")


def series(values, names=("b.x",), unit="m", description=None, end=1.0):
    values = np.atleast_2d(np.asarray(values, dtype=float)).reshape(-1, len(names))
    t = np.linspace(0, end, len(values))
    return lw.Result(t, values, [Channel(n, unit) for n in names], description=description)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("slider_crank", {}),
        ("slider_crank_spatial", {"redundant": True}),
        ("slider_crank_spatial", {"redundant": False}),
    ],
)
def test_formulations_agree_on_the_piston(example, name, options):
    """BND figure 31: multipliers and R/C elements against minimal coordinates, less than 4 mm/s apart."""
    found = example(name, **options).compare(["absolute", "compliant", "minimal"], 5, compliance=BND)
    assert found.reference == "minimal"
    apart = found.deviation("piston.vx")
    assert set(apart) == {"absolute", "compliant"}
    assert 0 < apart["absolute"] < 1e-6
    assert apart["absolute"] < apart["compliant"] < 4e-3


def test_rows_say_what_each_run_cost_and_how_well_it_held(spatial):
    for run in spatial:
        assert run.status == "finished" and run.solver == "dopri5" and run.accepted > 10
        assert run.compile_time > 0 and run.run_time > 0
        assert 0 < run.energy_drift < 1e-5 and run.position_residual < 1e-8 and run.velocity_residual < 1e-8
    groups = spatial["absolute"].groups
    assert set(groups) == {"positions", "speeds", "accelerations", "joint coordinates", "energies", "others"}
    speeds = [d for c, d in spatial.deviations["absolute"].items() if c in ("piston.vx", "crank.wz", "rod.vy")]
    assert max(speeds) <= groups["speeds"].absolute < 1e-5
    assert not spatial["minimal"].channels


def test_only_unique_reactions_are_compared(example, spatial):
    assert set(spatial.undetermined) == {"O", "A", "B", "P"}
    assert not [c for c in spatial.deviations["absolute"] if ".reaction." in c or ".port1." in c]
    with pytest.raises(lw.LinkworkError, match="not unique"):
        spatial.deviation("O.reaction.mx")
    isostatic = example("slider_crank_spatial", redundant=False).compare(["absolute", "minimal"], 1)
    assert isostatic.undetermined == ()
    assert isostatic.deviation("O.reaction.mx")["absolute"] < 1e-5
    assert isostatic["absolute"].groups["reactions"].absolute < 1e-5


def test_what_belongs_to_the_solver_is_not_compared(spatial):
    names = spatial.deviations["absolute"]
    assert "piston.x" in names and "crank.q3" in names
    assert not [n for n in names if "multiplier" in n or n.startswith("residual.") or n == "solver.step"]
    with pytest.raises(lw.UnknownName, match=r"piston\.vx"):
        spatial.deviation("piston.vxx")


def test_a_run_that_fails_is_a_row_and_the_others_go_on(example):
    found = example("slider_crank").compare(["absolute", "minimal"], 1, solvers=["rk4", "dopri5"])
    assert [run.status for run in found] == ["failed", "finished", "failed", "finished"]
    assert "fixed step" in found["absolute/rk4"].error and "fixed step" in str(found)
    assert found.reference == "minimal/dopri5" and "minimal/rk4" in found.notes[0]
    assert found.deviation("piston.vx")["absolute/dopri5"] < 1e-6
    assert set(found.results) == {"absolute/dopri5", "minimal/dopri5"}


def test_a_defect_in_one_formulation_is_reported_too(example, monkeypatch):
    from linkwork import formulations

    def broken(model, **options):
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(formulations.formulations, "broken", broken)
    found = example("slider_crank").compare(["broken", "minimal"], 1)
    assert found["broken"].error == "ZeroDivisionError: oh" and found["minimal"].status == "finished"


def test_what_stops_every_run_is_raised(example):
    with pytest.raises(lw.ModelError, match="duration"):
        example("slider_crank").compare(["absolute", "minimal"], -1)


@pytest.mark.parametrize(
    ("formulations", "options", "error", "part"),
    [
        (["absolut"], {}, lw.UnknownName, "absolute"),
        ([], {}, lw.ModelError, "no formulation"),
        (["absolute", "absolute"], {}, lw.ModelError, "twice"),
        (["absolute"], {"reference": "minimal"}, lw.UnknownName, "absolute"),
        (["absolute"], {"solvers": ["dopri"]}, lw.UnknownName, "dopri5"),
        (["absolute"], {"channels": "piston.speed"}, lw.UnknownName, "piston"),
        (["absolute"], {"parameters": {"torqe": 1}}, lw.UnknownName, "torque"),
        (["absolute"], {"file": "table.txt"}, lw.LinkworkError, ".json"),
    ],
)
def test_mistakes_in_the_call(example, formulations, options, error, part):
    with pytest.raises(error, match=part):
        example("slider_crank").compare(formulations, 0.1, **options)


def test_reference_and_solver_objects(example):
    solvers = [lw.DormandPrince5(), lw.DormandPrince853()]
    found = example("slider_crank").compare(["minimal"], 1, solvers=solvers, reference="minimal/DormandPrince853()")
    assert set(found.deviations) == {"minimal/DormandPrince5()"}
    assert 0 < found.deviation("O.angle")["minimal/DormandPrince5()"] < 1e-6


def test_parameters_and_progress_reach_the_runs(example):
    seen: list[float] = []
    options = {"parameters": {"torque": 0.0}, "progress": seen.append}
    found = example("slider_crank").compare(["absolute", "minimal"], 1, **options)
    assert [r.record["parameters"]["torque"] for r in found.results.values()] == [0.0, 0.0]
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1.0)


def test_ctrl_c_ends_the_comparison_and_keeps_what_there_is(example):
    def interrupt_the_second(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    found = example("slider_crank").compare(
        ["minimal", "absolute", "points"], 1, solvers=["dopri5"], progress=interrupt_the_second
    )
    assert [run.status for run in found] == ["finished", "cancelled"]
    assert "cancelled" in str(found)


def test_quaternions_are_compared_up_to_sign():
    names = [f"b.q{i}" for i in range(4)]
    a = series([[1, 0, 0, 0], [0.6, 0.8, 0, 0]], names, "")
    b = series([[1, 0, 0, 0], [-0.6, -0.8, 0, 0.1]], names, "")
    assert deviation(b, a, "b.q1").absolute == 0.0
    assert deviation(b, a, "b.q3").absolute == pytest.approx(0.1)


def test_relative_deviation_of_a_channel_that_is_zero_is_unknown():
    assert math.isnan(deviation(series([0, 1e-9]), series([0, 0]), "b.x").relative)
    assert deviation(series([0, 3.0]), series([0, 2.0]), "b.x").relative == pytest.approx(0.5)


def test_a_run_that_ends_earlier_is_compared_where_both_are():
    t, apart = difference(series([0, 1, 5], end=1.0), series([0, 1, 2, 3, 4], end=2.0), "b.x")
    assert t.tolist() == [0, 0.5, 1] and apart.tolist() == [0, 0, 3]
    with pytest.raises(lw.LinkworkError, match="no time in common"):
        difference(lw.Result([0.1], [[0.0]], [Channel("b.x")]), series([0, 1]), "b.x")


def test_channels_that_one_side_lacks_are_left_out():
    assert comparable(series([0, 1]), series([[0, 0], [1, 1]], ["b.x", "b.y"]), ()) == ["b.x"]


def test_saved_as_json_and_csv(spatial, tmp_path):
    spatial.save(tmp_path / "c.json")
    spatial.save(tmp_path / "c.csv")
    data = json.loads((tmp_path / "c.json").read_text("utf-8"))
    assert data["reference"] == "minimal" and data["undetermined"] == ["O", "A", "B", "P"]
    again = lw.Comparison.load(tmp_path / "c.json")
    assert again.to_dict() == spatial.to_dict() and str(again) == str(spatial)
    assert again.deviation("piston.vx") == spatial.deviation("piston.vx")
    head, *rows = (tmp_path / "c.csv").read_text("utf-8").splitlines()
    assert head.startswith("name,formulation,solver") and [r.split(",")[0] for r in rows] == ["absolute", "minimal"]
    with pytest.raises(lw.LinkworkError, match=r"\.json"):
        spatial.save(tmp_path / "c.txt")
    text = (tmp_path / "c.json").read_text("utf-8")
    (tmp_path / "other.json").write_text(text.replace("1", "3", 1), "utf-8")
    with pytest.raises(lw.LinkworkError, match="checksum differs"):
        lw.Comparison.load(tmp_path / "other.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(lw.LinkworkError, match="not a comparison"):
        lw.Comparison.load(tmp_path / "other.json")
    with pytest.raises(lw.LinkworkError, match="Compare again"):
        again.difference("absolute", "piston.vx")
    with pytest.raises(lw.LinkworkError, match="Compare again"):
        again.plot("piston.vx")


def test_shown_as_table_text_and_html(spatial):
    from rich.console import Console

    console = Console(width=100, record=True, file=io.StringIO())
    console.print(spatial.table(relative=True))
    text = console.export_text()
    for part in ("absolute", "reference", "energy drift [J]", "piston.vx [m/s]", "not comparable"):
        assert part in text and part in str(spatial) and part in spatial._repr_html_()


def test_figure_shows_the_differences(spatial, tmp_path):
    figure = spatial.plot(file=tmp_path / "d.svg")
    (panel,) = figure.axes
    (line,) = panel.lines
    assert np.max(np.abs(line.get_ydata())) == spatial.deviation("piston.vx")["absolute"]
    assert "piston.vx" in (tmp_path / "d.svg").read_text("utf-8")
    logarithmic = spatial.plot("crank.w?", "rod.vy", log=True)
    assert [p.get_yscale() for p in logarithmic.axes] == ["log"] * 4


def test_without_channels_the_worst_speeds_are_drawn(example):
    found = example("slider_crank").compare(["absolute", "minimal"], 1)
    first, second = found.suggested()
    apart = found.deviations["absolute"]
    assert apart[first] == max(apart[c] for c in apart if c.split(".")[1] in ("vx", "vy", "wz"))
    assert first.split(".")[0] != second.split(".")[0]
    assert len(found.plot().axes) == 2


def test_file_option_writes_what_its_suffix_says(example, tmp_path):
    for name in ("c.json", "c.svg"):
        example("slider_crank").compare(["absolute", "minimal"], 0.1, file=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100


def test_comparing_leaves_out_the_shares_of_redundant_wheels():
    """What holds a wheel along its axle is a servo; two wheels on one axle share it as they like."""
    compared = wheelset.model(compliant=False).compare(["absolute", "minimal"], 0.2)
    assert "left.slide.effort" not in compared.deviations["absolute"]
    with pytest.raises(lw.LinkworkError, match="not unique"):
        compared.deviation("left.slide.effort")
