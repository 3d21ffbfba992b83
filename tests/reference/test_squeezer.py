"""Andrews' squeezer: the published solution at 0.03 s (IVP test set), and the energy balance to 0.05 s."""

import numpy as np
import pytest

import linkwork as lw

Q = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
     0.5347301163226948, 1.048080741042263)  # fmt: skip
V = (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
     -19.29337464421385, 0.3231791658026955)  # fmt: skip
A = (-24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213, 16743.62929479361,
     -566749.3645176222, 9826.520791458422)  # fmt: skip
LAMBDA = (199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739,
          11.61740700019673)  # fmt: skip
A0 = (14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0)
LAMBDA0 = (98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0)


def seven(row, channel):
    """(β, Θ, γ, Φ, δ, Ω, ε) from the bodies' own angles β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε (or their rates)."""
    k = [row[f"K{i + 1}.{channel}"] for i in range(7)]
    return np.array([k[0], k[1] - k[0], k[2], k[3] - k[4], k[4], k[5] - k[6], k[6]])


def six(row):
    """Forces where the loops close: on bodies 3, 4, 6 at F, x and y."""
    return np.array([row[f"{joint}.reaction.{k}"] for joint in ("F3", "F4", "F6") for k in ("fx", "fy")])


@pytest.fixture(scope="module")
def run(example):
    return example("squeezer").simulate(0.05, solver="dop853", rtol=1e-11, atol=1e-13, output=0.0005)


def _at(r, time):
    k = int(np.argmin(np.abs(r.t - time)))
    assert r.t[k] == pytest.approx(time, abs=1e-12)
    return {name: r[name][k] for name in r}


def test_published_solution(run):
    row = _at(run, 0.03)
    assert seven(row, "angle") == pytest.approx(Q, rel=1e-6)
    assert seven(row, "wz") == pytest.approx(V, rel=1e-5)
    assert seven(row, "alphaz") == pytest.approx(A, rel=1e-5)
    assert six(row) == pytest.approx(LAMBDA, rel=1e-5)


def test_joint_coordinates_are_the_published_angles(run):
    row = _at(run, 0.03)
    for name, value in zip(("O", "E1", "B", "A5", "A7"), (Q[0], Q[1], Q[2], Q[4], Q[6]), strict=True):
        assert row[f"{name}.angle"] == pytest.approx(value, rel=1e-6)


def test_start(run):
    row = _at(run, 0.0)
    assert seven(row, "alphaz") == pytest.approx(A0, rel=1e-9, abs=1e-5)
    assert six(row) == pytest.approx(LAMBDA0, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, 1e-4),  # as `simulate` comes
        ({"solver": "dopri5", "rtol": 1e-10, "atol": 1e-12}, 1e-6),
        ({"solver": "radau", "rtol": 1e-9, "atol": 1e-11}, 1e-6),
        ({"solver": "dop853", "rtol": 1e-12, "atol": 1e-14, "stabilisation": lw.Baumgarte(100, 100)}, 1e-6),
    ],
    ids=["defaults", "dopri5", "radau", "baumgarte"],
)
def test_published_angles_by_other_ways(example, options, error):
    r = example("squeezer").simulate(0.03, output=0.03, **options)
    assert seven(r.final, "angle") == pytest.approx(Q, rel=error)


@pytest.mark.parametrize(
    ("time", "beta"), [(0.01, 2.1601131315), (0.02, 8.1849058897), (0.04, 24.3753049720), (0.05, 33.825867767)]
)
def test_recomputed_crank_angle(run, time, beta):
    assert _at(run, time)["O.angle"] == pytest.approx(beta, abs=2e-8)


def test_recomputed_point(run):
    """The crank's tip at 0.05 s (the benchmark library calls it F), 7 mm from its bearing."""
    row = _at(run, 0.05)
    out = 0.007 - 0.00092
    tip = (row["K1.x"] + out * np.cos(row["K1.angle"]), row["K1.y"] + out * np.sin(row["K1.angle"]))
    assert tip == pytest.approx((-0.00520850472, 0.00467669526), abs=2e-10)


def test_energy_balance(run):
    """T + V − E₀ − τ (β − β₀) = 0, and the recorded supply is the same work."""
    work = 0.033 * (run["O.angle"] - run["O.angle"][0])
    assert run["energy.total"] - run["energy.total"][0] == pytest.approx(work, abs=1e-10)
    assert run["energy.supplied"] == pytest.approx(work, abs=1e-10)
    assert run["residual.position"].max() < 1e-10
