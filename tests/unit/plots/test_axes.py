"""Names, units and numbers on axes, and room for them: nothing overlaps, whatever the numbers are."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork.plots  # noqa: F401  (attaches Result.plot)
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.core.scales import Scale, scale_for
from linkwork.plots.names import axis_name, legend_names, readable, with_unit


@pytest.mark.parametrize(
    ("channel", "text"),
    [
        ("piston.x", "piston x"),
        ("O.reaction.fx", "O reaction fx"),
        ("crank.wz", "crank ωz"),
        ("crank.alphaz", "crank αz"),
        ("O.angle.rate", "O angle rate"),
        ("R.multiplier12", "R multiplier 12"),
        ("energy.kinetic", "kinetic energy"),
        ("energy.balance", "energy balance"),
        ("residual.position", "position residual"),
        ("solver.step", "step size"),
        ("lift", "lift"),
        ("wz.x", "wz x"),
    ],
)
def test_readable_names(channel, text):
    assert readable(channel) == text


def test_words_on_axes_are_not_said_twice():
    assert legend_names(["energy.kinetic", "energy.total"], "J") == ["kinetic", "total"]
    assert legend_names(["O.angle", "P.angle"], "rad") == ["O", "P"]
    assert legend_names(["O.angle", "V.tilt"], "rad") == ["O angle", "V tilt"]
    assert axis_name(["a.x", "b.x"], "m") == "position"
    assert axis_name(["a.momentum", "b.momentum"], "N·s") == "momentum"
    assert axis_name(["a.p", "b.q"], "N·s") == "" and with_unit("", "N·s") == "[N·s]"
    assert with_unit("ratio", "") == "ratio" and "\n" in with_unit("front suspension damper", "N·s/m")


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("N", 12_000, Scale(3, "kN")),
        ("Pa", 7e6, Scale(6, "MPa")),
        ("N·m", 2e-4, Scale(-6, "µN·m")),
        ("m/s²", 3e-3, Scale(-3, "mm/s²")),
        ("s", 0.03, Scale(-3, "ms")),
        ("s", 1e5, Scale(3, "10³ s")),
        ("rad", 4e4, Scale(3, "10³ rad")),
        ("m³/s", 2e-5, Scale(-6, "10⁻⁶ m³/s")),
        ("kg", 2e4, Scale(3, "10³ kg")),
        ("", 0.02, Scale(0, "")),
        ("", 2e6, Scale(6, "10⁶")),
        ("m", 1e-20, Scale(-21, "10⁻²¹ m")),
        ("m", 1000.0, Scale(0, "m")),
        ("N", 1e6, Scale(6, "MN")),
        ("N", 0.0, Scale(0, "N")),
        ("N", float("inf"), Scale(0, "N")),
    ],
)
def test_units_are_scaled_where_numbers_would_be_long(unit, largest, expected):
    assert scale_for(unit, largest) == expected


def test_numbers_on_the_axis_times_the_unit_are_the_data():
    """The data stay in SI units; only what is written at the ticks is scaled."""
    t = np.linspace(0, 1, 20)
    panel = Result(t, (3.4e6 * t - 1e6)[:, None], [Channel("oil.pressure", "Pa")]).plot("oil.pressure").axes[0]
    assert panel.get_ylabel() == "oil pressure [MPa]" and panel.lines[0].get_ydata().max() == pytest.approx(2.4e6)
    ticks = list(panel.get_yticks())
    texts = panel.yaxis.get_major_formatter().format_ticks(ticks)
    assert [float(text.replace("−", "-")) * 1e6 for text in texts] == pytest.approx(ticks)
    assert any(text.startswith("−") for text in texts) and not any("-" in text for text in texts)


def test_neighbouring_ticks_never_read_the_same():
    from linkwork.plots.ticks import ScaledTicks

    assert ScaledTicks().format_ticks([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert ScaledTicks(-3).format_ticks([-0.002, 0.0, 0.002]) == ["−2", "0", "2"]
    assert len(set(ScaledTicks().format_ticks(np.linspace(1, 1 + 1e-7, 5)))) == 5


def test_noise_around_a_constant_is_not_blown_up():
    t = np.linspace(0, 1, 50)
    noise = 1e-12 * np.sin(1e3 * t)
    result = Result(t, np.stack([9.81 + noise, 0 * t], 1), [Channel("g", "m/s²"), Channel("zero", "N")])
    upper, lower = result.plot("g", "zero").axes
    assert np.ptp(upper.get_ylim()) > 1 and upper.get_ylim()[0] < 9.81 < upper.get_ylim()[1]
    assert lower.get_ylim() == (-1, 1)


def overlaps(figure) -> list[str]:
    """What hides something or leaves the paper: legends over panels, numbers over names, texts cut off."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer, found = canvas.get_renderer(), []
    paper = figure.bbox.padded(1)
    for panel in figure.axes:
        name, box = panel.get_ylabel(), panel.get_window_extent(renderer)
        texts = {name: panel.yaxis.label.get_window_extent(renderer)} if name else {}
        numbers = [x.get_window_extent(renderer) for x in panel.get_yticklabels() if x.get_text()]
        if name and any(n.overlaps(texts[name]) for n in numbers if panel.bbox.y0 - 5 < n.y0 < panel.bbox.y1):
            found.append(f"numbers on {name!r}")
        if (legend := panel.get_legend()) is not None:
            texts["legend"] = legend.get_window_extent(renderer)
            if texts["legend"].shrunk(0.98, 0.98).overlaps(box.shrunk(0.999, 0.999)):
                found.append("legend on panel")
        texts["title"] = panel.title.get_window_extent(renderer)
        texts["time"] = panel.xaxis.label.get_window_extent(renderer)
        found += [
            f"{what} off the paper"
            for what, text in texts.items()
            if text.width and not (paper.x0 <= text.x0 and text.x1 <= paper.x1 and paper.y0 <= text.y0 <= paper.y1)
        ]
    return found


@pytest.mark.parametrize("size", [None, (3.4, 3.5)])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 123456.0])
def test_nothing_overlaps(scale, size):
    t = np.linspace(0, 1, 30)
    names = ["a.x", "left.support.y", *(f"body{k}.reaction.fx" for k in range(12)), "p.momentum"]
    units = ["m", "m", *["N"] * 12, "kg·m/s"]
    data = scale * np.stack([np.sin(t + k) for k in range(len(names))], axis=1)
    channels = [Channel(n, u) for n, u in zip(names, units, strict=True)]
    result = Result(t, data, channels, events=[(0.5, "hit")], record={"model": "everything"})
    wanted = ["*"] if size is None else ["*.x", "p.momentum"]
    assert overlaps(result.plot(*wanted, size=size)) == []
    assert overlaps(result.plot_phase("a.x", "left.support.y")) == []


def test_the_overlap_check_finds_a_hidden_legend():
    t = np.linspace(0, 1, 5)
    figure = Result(t, np.stack([t, t], 1), [Channel("a", "m"), Channel("b", "m")]).plot("a", "b")
    assert overlaps(figure) == []
    figure.subplots_adjust(right=0.99)
    assert "legend off the paper" in overlaps(figure)
    figure.axes[0].legend(loc="center")
    assert "legend on panel" in overlaps(figure)
