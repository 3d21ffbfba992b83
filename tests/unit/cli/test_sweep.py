"""`linkwork sweep` and `linkwork fit`."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray

import linkwork as lw
from linkwork.cli.app import main
from linkwork.cli.sweep import varied


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_varies():
    assert varied("L=0.1:0.5:3") == ("L", pytest.approx([0.1, 0.3, 0.5]))
    assert varied(" O.angle = 1, 2") == ("O.angle", [1.0, 2.0])
    name, drawn = varied("k~normal(1e4, 500)")
    assert name == "k" and str(drawn) == "normal(10000.0, 500.0)"


@pytest.mark.parametrize(
    "text", ["L", "L=", "L=a", "L=1:2", "L=1:2:0", "L~normal", "L~normal(1)", "L~normal(a,b)", "=3"]
)
def test_nothing_to_vary(text):
    with pytest.raises(lw.LinkworkError, match="--vary"):
        varied(text)


def test_sweep(capsys, tmp_path):
    words = ["sweep", "pendulum", "0.1", "--keep", "end,max", "--backend", "serial", "--channels", "pin.angle*"]
    vary = ["--vary", "pin.angle=0.1,0.2", "--vary", "pin.angle.rate~uniform(0,1)", "--cases", "4"]
    assert main([*words, *vary, "--to", "a.zarr"]) == 0
    said = capsys.readouterr().out
    assert "4 finished" in said and "pin.angle.end" in said and "wrote a.zarr" in said
    ds = xarray.open_zarr("a.zarr")
    assert ds.sizes == {"case": 4} and set(ds["pin.angle.start"].values) == {0.1, 0.2}
    assert main([*words, *vary, "--to", "a.zarr", "-q"]) == 0 and not capsys.readouterr().out
    assert main([*words, "--vary", "pin.angel=1,2"]) == 2
    assert "pin.angle" in capsys.readouterr().err
    assert main([*words]) == 1 and "--vary" in capsys.readouterr().err
    (tmp_path / "cases.csv").write_text("pin.angle\n0.3\n")
    assert main([*words, "--table", "cases.csv", "--to", "b.zarr", "-q"]) == 0


def test_fit(capsys, tmp_path):
    from linkwork.examples import slider_crank

    t = np.linspace(0, 0.5, 11)
    x = slider_crank.model().simulate(0.5, output=t, parameters={"torque": 12.0})["piston.x"]
    lines = [f"{a!r},{b!r}" for a, b in zip(t.tolist(), x.tolist(), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["t,piston.x", "s,m", *lines]))
    words = ["fit", "slider-crank", "data.csv", "--over", "torque=5:20"]
    assert main([*words, "-o", "fit.svg", "--json", "fit.json"]) == 0
    said = capsys.readouterr().out
    assert "Converged" in said and "wrote fit.svg" in said
    assert json.loads((tmp_path / "fit.json").read_text())["parameters"]["torque"] == pytest.approx(12, rel=1e-5)
    assert main(["fit", "slider-crank", "data.csv"]) == 1 and "--over" in capsys.readouterr().err
