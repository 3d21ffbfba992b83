"""`linkwork kinematics` and `linkwork inverse`: drives read without executing anything, results as in Python."""

import casadi as ca
import numpy as np
import pytest

from linkwork.cli.app import main
from linkwork.cli.drives import drives, table
from linkwork.cli.expressions import function_of_time
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.files.results import load


def value(text: str, t: float) -> float:
    symbol = ca.SX.sym("t")
    return float(ca.Function("f", [symbol], [function_of_time(text, "O.angle")(symbol)])(t))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2*t", 1.4),
        ("-(t - 1)**2 / 3", -0.03),
        ("0.3 + sin(pi*t)*exp(-t)", 0.3 + np.sin(0.7 * np.pi) * np.exp(-0.7)),
        ("max(min(t, 0.5), 0) + atan2(t, 1)", 0.5 + np.arctan2(0.7, 1)),
        ("abs(-t) + sqrt(4) + e", 0.7 + 2 + np.e),
        ("1e-1", 0.1),
    ],
)
def test_expressions_mean_what_they_say(text, wanted):
    assert value(text, 0.7) == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("__import__('os').getpid()", "is not allowed"),
        ("(1).__class__", "is not allowed"),
        ("t if t > 1 else 0", "is not allowed"),
        ("[t for t in (1,)]", "is not allowed"),
        ("'a' * 9", "is not allowed"),
        ("True", "is not allowed"),
        ("open(t)", "there is no function 'open'"),
        ("sin(t, 2)", "sin takes 1 argument"),
        ("sin(x=t)", "is not allowed"),
        ("2*u", "'u' is not known"),
        ("(t", "it is not complete"),
        ("t; t", "it is not complete"),
        ("(" * 500 + "t" + ")" * 500, "it is not complete"),
        ("t + " * 600 + "t", "more than 2000 characters"),
    ],
)
def test_anything_else_is_refused_and_not_run(text, why):
    with pytest.raises(LinkworkError, match="cannot be read as an expression of t") as caught:
        function_of_time(text, "O.angle")
    assert why in str(caught.value)


@pytest.mark.parametrize("text", ["O.angle", "=t", "O.angle="])
def test_a_drive_needs_a_name_and_an_expression(text):
    with pytest.raises(LinkworkError, match="is not a drive"):
        drives([text])


def test_two_drives_for_one_coordinate_are_refused():
    with pytest.raises(LinkworkError, match="O.angle: is driven twice"):
        drives(["O.angle=t", "O.angle = 2*t"])


def test_tables_come_from_columns(tmp_path):
    file = tmp_path / "path.csv"
    file.write_text("# made by hand\ntime,angle,other\ns,rad,\n0,1,5\n1,2,6\n2,4,7\n3,8,8\n")
    times, values = table(file, "angle")
    assert times.tolist() == [0, 1, 2, 3]
    assert values.tolist() == [1, 2, 4, 8]
    with pytest.raises(UnknownName, match="Did you mean 'angle'"):
        table(file, "angel")
    with pytest.raises(LinkworkError, match="cannot be read"):
        table(tmp_path / "none.csv", "angle")
    file.write_text("t,angle\n0,1\n1,x\n")
    with pytest.raises(LinkworkError, match="row 3 holds no numbers"):
        table(file, "angle")


def torque(angle: float, speed: float) -> float:
    """Beside the 10 N·m of the example, at constant speed: ½ J'(θ) θ̇² + V'(θ) + damping; by differences."""

    def height(x: float) -> float:
        return 0.1 * np.sin(x) + 0.1 * np.sin(x)

    def places(x: float) -> np.ndarray:
        """Crank, rod and piston: (x, y), and the angle of the rod."""
        end = 0.2 * np.cos(x) + np.sqrt(1 - (0.2 * np.sin(x)) ** 2)
        rod = (0.2 * np.cos(x) + end) / 2
        return np.array([0.1 * np.cos(x), 0.1 * np.sin(x), rod, 0.1 * np.sin(x), end, np.arcsin(0.2 * np.sin(x))])

    def slope(f, x: float, h: float = 1e-4):
        return (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h)

    inertia = slope(lambda x: 1 + np.sum(slope(places, x) ** 2), angle)
    damping = 2 * speed + 5 * slope(places, angle)[4] ** 2 * speed
    return inertia * speed**2 / 2 + 9.81 * slope(height, angle) + damping - 10


def test_kinematics_then_inverse(tmp_path, capsys):
    moved, forces, plot = tmp_path / "moved.csv", tmp_path / "forces.csv", tmp_path / "moved.svg"
    words = ["kinematics", "slider-crank", "1", "--drive", "O.angle=0.3+2*t", "--output", "0.01"]
    assert main([*words, "--save", str(moved), "-o", str(plot)]) == 0
    assert "piston.x" in capsys.readouterr().out
    assert plot.stat().st_size > 1000
    r = load(moved)
    assert np.allclose(r["O.angle"], 0.3 + 2 * r.t, atol=1e-12)
    for more in (
        ["--drive", f"O.angle={moved}:O.angle"],
        ["--motion", str(moved)],
        ["1", "--drive", "O.angle=0.3+2*t"],
    ):
        assert main(["inverse", "slider-crank", *more, "--save", str(forces), "-q"]) == 0
        f = load(forces)
        assert f["O.angle.actuator"][0] == pytest.approx(torque(0.3, 2.0), abs=1e-5)
    assert main(["inverse", "slider-crank", "--motion", str(moved), "--actuator", "P.slide"]) == 0
    assert "P.slide.actuator" in capsys.readouterr().out


def test_mistakes_end_in_a_sentence(tmp_path, capsys):
    kept = tmp_path / "kept.csv"
    assert main(["kinematics", "slider-crank", "1", "--drive", "P.slide=1+t/2", "--save", str(kept), "-q"]) == 1
    assert "beyond t = 0.4 s" in capsys.readouterr().err
    assert load(kept).t[-1] == pytest.approx(0.398)
    assert main(["kinematics", "slider-crank", "1"]) == 1
    assert "1 degree of freedom is not driven" in capsys.readouterr().err
    assert main(["inverse", "slider-crank", "1", "--drive", "O.angel=t"]) == 2
    assert "Did you mean 'O.angle'" in capsys.readouterr().err
    assert main(["inverse", "slider-crank", "1", "--drive", "O.angle=t", "--motion", str(kept)]) == 1
    assert "both --motion and --drive" in capsys.readouterr().err
