"""FMUs for model exchange as components: a solver of ours drives them, and locates their events."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import linkwork as lw

from ...fmus.building import ball

GRAVITY = 9.81


def dropped(step: float = 0.05, u: Any = 0.0, **options: Any) -> lw.Model:
    m = lw.Model("dropped", gravity=(0, 0))
    m.revolute("O", m.ground, m.body("disc", mass=1, inertia=1).at())
    m.cosimulation("ball", str(ball()), step=step, inputs={"u": u}, **options)
    return m


def bounced(t: float, e: float) -> tuple[float, float, int]:
    """Height, speed and bounces of a ball that was dropped from 1 m."""
    speed, start, n = 0.0, 0.0, 0
    height, up = 1.0, 0.0
    while True:
        flight = (up + math.sqrt(up**2 + 2 * GRAVITY * height)) / GRAVITY
        if start + flight > t:
            s = t - start
            return height + up * s - GRAVITY * s**2 / 2, up - GRAVITY * s, n
        speed = GRAVITY * flight - up
        start, height, up, n = start + flight, 0.0, e * speed, n + 1


@pytest.mark.parametrize("early", [False, True])
def test_events_are_located_and_states_are_those_of_the_closed_form(early: bool) -> None:
    r = dropped(parameters={"e": 0.6, "early": early}).simulate(1.21, output=0.1)
    for k, t in enumerate(r.t[:-1]):  # at the end of a run nothing is exchanged any more
        h, v, n = bounced(t, 0.6)
        assert (r["ball.h"][k], r["ball.v"][k]) == pytest.approx((h, v), abs=1e-8)
        assert r["ball.n"][k] == n and r["ball.m"][k] == int(t / 0.3 + 1e-9)


def test_inputs_are_held_from_exchange_to_exchange() -> None:
    step = 0.02
    r = dropped(step, lambda t: 20 * lw.sin(5 * t), parameters={"h": 5.0, "v": 1.0}).simulate(0.41, output=0.4)
    h, v = 5.0, 1.0
    for k in range(20):
        a = 20 * math.sin(5 * k * step) - GRAVITY
        h, v = h + v * step + a * step**2 / 2, v + a * step
    assert (r["ball.h"][-1], r["ball.v"][-1]) == pytest.approx((h, v), abs=1e-10)


def test_a_stepper_comes_back_to_what_it_saved() -> None:
    s = dropped(0.05).stepper(0.05)
    for k in range(20):
        s.step()
        if k == 7:
            kept = s.save()
    end = s["ball.h"], s["ball.n"]
    s.restore(kept)
    for _ in range(12):
        s.step()
    assert (s["ball.h"], s["ball.n"]) == pytest.approx(end, abs=1e-10)


def test_failures_name_the_time() -> None:
    with pytest.raises(lw.IntegrationError, match=r"ball: the derivatives of the FMU are not finite at t = 0.1"):
        dropped(u=lambda t: lw.if_else(t > 0.09, -2000, 0)).simulate(0.3)
    with pytest.raises(lw.IntegrationError, match=r"ball: the FMU asks to end the simulation at t = 0\.\d+ s"):
        dropped(u=2e4).simulate(0.3)


def without_solver(path: Path, new: Path) -> str:
    """The same FMU for model exchange alone."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(new, "w") as archive:
        for name in old.namelist():
            data = old.read(name)
            if name == "modelDescription.xml":
                root = ElementTree.fromstring(data)
                for part in root.findall("CoSimulation"):
                    root.remove(part)
                data = ElementTree.tostring(root)
            archive.writestr(name, data)
    return str(new)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_model_of_ours_is_the_same_either_way(tmp_path: Path, version: str) -> None:
    """Events, a loop and its projection, a stiff part: by the solver in the FMU, and by the one outside."""
    m = lw.Model("plant", gravity=(0, -9.81))
    torque = m.input("torque", unit="N·m")
    bar = m.body("bar", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground, bar.at(-0.5, 0))
    O.angle.law(lw.Effort(torque)).law(lw.Damper(0.1))
    m.contact("stop", bar.at(0.5, 0), m.ground.at(0, -0.3), radius=0.02, stiffness=1e4, dissipation=0.5)
    m.transfer_function("lag", m.coordinate_sensor("angle", O.angle), numerator=[1.0], denominator=[1e-5, 1.0])
    whole = m.fmu(tmp_path / "plant.fmu", version=version, duration=1)
    found, taken = [], {"angle": "O.angle", "rate": "O.angle.rate", "lag": "lag.y.value"}
    for file in (str(whole), without_solver(whole, tmp_path / "exchange.fmu")):
        outer = lw.Model("outer", gravity=(0, 0))
        outer.revolute("P", outer.ground, outer.body("disc", mass=1, inertia=1).at())
        outer.cosimulation("plant", file, step=0.02, inputs={"torque": lambda t: 2 * lw.sin(20 * t)},
                           outputs=taken, tolerance=1e-10)  # fmt: skip
        r = outer.simulate(0.31, output=0.05)
        found.append([r[f"plant.{x}"] for x in ("angle", "rate", "lag")])
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1e-7)
