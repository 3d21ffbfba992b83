"""Models closed by regulators: as files they are the same to the last bit, and as FMUs they run as ours do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw


def cart_pole(angle: float = 0.0) -> lw.Model:
    m = lw.Model("cart-pole", gravity=(0, -9.81))
    cart, pole = m.body("cart", mass=1, inertia=1), m.body("pole", mass=0.1, inertia=0.1 * 0.5**2 / 3)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    pin = m.revolute("pin", cart.at(), pole.at(0, -0.5))
    rail.slide.law(lw.Effort(m.input("force", unit="N")))
    pin.angle.start(angle)
    return m


def closed(kind: str) -> lw.Model:
    period = 0.05 if "sampled" in kind else None
    near = cart_pole().linearize(outputs=["rail.slide", "pin.angle"])
    regulator = near.lqr({"rail.slide": 1, "pin.angle": 10}, {"force": 0.1}, period=period)
    noise = {"rail.slide": 1e-4, "pin.angle": 1e-4}
    observer = near.kalman({"force": 1.0}, noise, period=period) if "observer" in kind else None
    return regulator.closed(cart_pole(0.1), observer=observer)


KINDS = ["continuous", "continuous observer", "sampled", "sampled observer"]


@pytest.mark.parametrize("kind", KINDS)
def test_files_hold_them_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    m = closed(kind)
    m.save(tmp_path / "x.toml")
    twin = lw.load(tmp_path / "x.toml")
    one, other = m.simulate(0.6, output=0.05), twin.simulate(0.6, output=0.05)
    assert set(one) == set(other) and all(np.array_equal(one[name], other[name]) for name in one)
    assert abs(one["lqr.force"]).max() > 0.1
    twin.save(tmp_path / "y.toml")
    assert (tmp_path / "x.toml").read_text("utf-8") == (tmp_path / "y.toml").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fmus_run_as_ours_do(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("fmpy")
    from ..export.test_fmu import compared

    m = closed(kind)
    path = m.fmu(tmp_path / "x.fmu", duration=1.01)
    for way in ("ModelExchange", "CoSimulation"):
        compared(m, path, way, 1.01, 101, 1e-12)


WRONG = {
    "row": ({"gains": {"force": [1.0]}}, "gains['force'] is 1×1 instead of 1×2"),
    "matrices": ({"A": [[1.0]]}, "A, B and C belong together"),
    "B": ({"A": [[1.0]], "B": [[1.0]], "C": [[1.0]]}, "B is 1×1 instead of 1×2"),
    "nothing": ({"gains": {}}, "reads or moves nothing"),
    "number": ({"readings": {"rail.slide": "a", "pin.angle": 0}}, "readings['rail.slide']"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told(case: str) -> None:
    changed, said = WRONG[case]
    given = {"readings": {"rail.slide": 0.0, "pin.angle": 0.0}, "gains": {"force": [1.0, 2.0]}}
    with pytest.raises(lw.ModelError) as error:
        cart_pole().feedback("f", **(given | changed))
    assert said in str(error.value) and "f: " in str(error.value)


def test_by_hand_it_is_the_same_and_names_that_do_not_exist_are_told() -> None:
    m = cart_pole(0.1)
    m.feedback("pd", {"pin.angle": 0.0, "pin.angle.rate": 0.0}, {"force": [40.0, 10.0]})
    r = m.simulate(0.5, output=0.1)
    assert r["pd.force"] == pytest.approx(40 * r["pin.angle"] + 10 * r["pin.angle.rate"], abs=1e-12)
    with pytest.raises(lw.ModelError, match=r"pd.gains: cannot be changed"):
        m["pd"].gains = {"force": [1.0, 1.0]}
    m = cart_pole()
    m.feedback("pd", {"pin.angel": 0.0}, {"force": [1.0]})
    with pytest.raises(lw.UnknownName, match=r"pd: .*Did you mean 'pin.angle'"):
        m.simulate(0.1)
