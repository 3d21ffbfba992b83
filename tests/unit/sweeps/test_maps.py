"""Maps of stability against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw


def inverted() -> lw.Model:
    """A rod of 1 kg and 1 m that stands on a torsion spring k: stable for k > m g l / 2 = 4.905 N·m/rad."""
    m = lw.Model("inverted", gravity=(0, -9.81))
    k, load = m.parameter("k", 10.0, unit="N·m/rad"), m.input("load", 0.0, unit="N·m")
    rod = m.body("rod", mass=1, inertia=1 / 12)
    O = m.revolute("O", m.ground.at(rotation=np.pi / 2), rod.at(-0.5, 0))
    O.angle.law(lw.Spring(k)).law(lw.Damper(0.1)).law(lw.Effort(load))
    O.angle.start(0.0, rate=0.0)
    return m


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return inverted()


@pytest.mark.parametrize("of", ["linearize", "equilibrium"])
def test_where_it_stands(m, of):
    k = np.array([1.0, 4.0, 6.0, 9.0])
    ds = m.sweep({"k": k}, of=of, channels=["O.angle"], backend="serial")
    inertia = 1 / 12 + 0.25
    roots = np.array([np.roots([inertia, 0.1, x - 4.905]) for x in k])
    assert ds["growth"].values == pytest.approx(roots.real.max(axis=1), rel=1e-6)
    assert ds["stable"].values.tolist() == (k > 4.905).astype(float).tolist()
    found = ds["eigenvalue.real"].values + 1j * ds["eigenvalue.imag"].values
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(roots), rel=1e-6)
    assert set(ds.status.values) == {"finished"} and ds["growth"].attrs["units"] == "1/s"


def test_where_it_rests(m):
    ds = m.sweep({"load": [0.0, 0.5, 1.0]}, of="equilibrium", backend="serial")
    x = ds["O.angle"].values
    assert 10 * x - 4.905 * np.sin(x) == pytest.approx([0.0, 0.5, 1.0], abs=1e-8)


def test_on_the_disk_and_by_others(m, tmp_path):
    design = {"k": [2.0, 6.0, 8.0], "load": [0.0, 0.1]}
    here = m.sweep(design, of="equilibrium", backend="serial", to=tmp_path / "map.zarr")
    there = m.sweep(design, of="equilibrium", backend="threads", workers=2)
    assert np.array_equal(here["growth"].values, there["growth"].values)
    with pytest.raises(lw.LinkworkError, match="another sweep"):
        m.sweep(design, of="linearize", backend="serial", to=tmp_path / "map.zarr")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"duration": 1.0}, "nothing is run"), ({"keep": "end"}, "nothing is run"), ({"channels": "O.angel"}, "O.angle")],
)
def test_refused(m, options, said):
    with pytest.raises(lw.LinkworkError, match=said):
        m.sweep({"k": [1.0]}, of="equilibrium", **options)
