"""What many cases have in common: mean, deviation, quantiles; and which parameter is to blame for the spread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import LinkworkError, UnknownName

if TYPE_CHECKING:
    import xarray

QUANTILES = (0.05, 0.5, 0.95)
TOLD = ("status", "reason", "warnings", "end_time", "engine")
SALTELLI = "saltelli"


def kept_names(ds: xarray.Dataset) -> list[str]:
    """Variables with numbers of every case, beside what is told of it."""
    return [str(n) for n, x in ds.data_vars.items() if "case" in x.dims and x.dtype.kind == "f" and n not in TOLD]


def kept(ds: xarray.Dataset, name: str, *, series: bool | None = None) -> xarray.DataArray:
    """A variable by its name; series: whether it must be one over time, or one number of each case."""
    known = [n for n in kept_names(ds) if series is None or (len(ds[n].dims) > 1) is series]
    if name not in known:
        raise UnknownName("quantity that was kept", str(name), known, component=ds.attrs.get("model"))
    return ds[name]


def summary(ds: xarray.Dataset, quantiles: Sequence[float]) -> xarray.Dataset:
    """Over the cases that gave numbers: a Dataset with the dimension `statistic`."""
    import xarray

    for q in quantiles:
        if not 0 <= q <= 1:
            raise LinkworkError(f"there is no quantile {q}.", component="summary", remedy="It lies between 0 and 1.")
    labels = ["cases", "mean", "deviation", *(f"{100 * q:g} %" for q in quantiles)]
    variables: dict[str, Any] = {}
    for name in kept_names(ds):
        variable = ds[name]
        x = variable.transpose("case", ...).values
        there = np.isfinite(x)
        count = there.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(there, x, 0.0).sum(axis=0) / count
            spread = np.sqrt(np.where(there, (x - mean) ** 2, 0.0).sum(axis=0) / np.maximum(count - 1, 1))
        spread = np.where(count > 1, spread, np.nan)
        some = count > 0
        parts = np.full((len(quantiles), *count.shape), np.nan)
        if np.any(some):
            parts[:, some] = np.nanquantile(x[:, some], quantiles, axis=0)
        rest = tuple(d for d in variable.dims if d != "case")
        variables[name] = (("statistic", *rest), np.stack([count.astype(float), mean, spread, *parts]), variable.attrs)
    coordinates = {n: ds[n] for n in ds.coords if "case" not in ds[n].dims}
    return xarray.Dataset(variables, {"statistic": labels, **coordinates}, attrs={"model": ds.attrs.get("model", "")})


def sobol(ds: xarray.Dataset, name: str, *, seed: int = 0) -> xarray.Dataset:
    """Sobol's indices of one number: the share of its variance that each parameter has alone, and with the others."""
    import xarray

    if ds.attrs.get("sampling") != SALTELLI:
        raise LinkworkError(
            "Sobol's indices need cases that were drawn for them.", component=ds.attrs.get("model"),
            remedy='Give sampling="saltelli" to m.sweep; cases are then a power of 2 times (parameters + 2).',
        )  # fmt: skip
    variable = kept(ds, name, series=False)
    names = list(json.loads(ds.attrs["design"]))
    rows = variable.values.reshape(-1, len(names) + 2)
    whole = np.isfinite(rows).all(axis=1)  # of what belongs together, a case may have failed
    if np.count_nonzero(whole) < 2:
        raise LinkworkError("too many cases failed.", component=name, remedy="See ds.reason.")
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    indices = _salib("analyze").analyze(problem, rows[whole].ravel(), calc_second_order=False, seed=seed)
    data = {
        "first": ("parameter", indices["S1"]), "total": ("parameter", indices["ST"]),
        "first_interval": ("parameter", indices["S1_conf"]), "total_interval": ("parameter", indices["ST_conf"]),
    }  # fmt: skip
    return xarray.Dataset(data, {"parameter": names}, attrs={"of": name, "groups left out": int(np.sum(~whole))})


def saltelli(dimensions: int, draws: int, seed: int) -> np.ndarray:
    """Saltelli's design for Sobol's indices, numbers between 0 and 1: (base points) × (dimensions + 2) rows."""
    base = draws // (dimensions + 2)
    if base * (dimensions + 2) != draws or base < 2 or base & (base - 1):
        nearest = 2 ** max(round(np.log2(max(base, 2))), 1) * (dimensions + 2)
        raise LinkworkError(
            f"{draws} cases are no power of 2 times {dimensions + 2}.", component='sampling="saltelli"',
            remedy=f"Give cases={nearest}, for instance.",
        )  # fmt: skip
    problem = {"num_vars": dimensions, "names": [f"x{k}" for k in range(dimensions)], "bounds": [[0, 1]] * dimensions}
    drawn: np.ndarray = _salib("sample").sample(problem, base, calc_second_order=False, seed=seed)
    return drawn


def _salib(which: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"SALib.{which}.sobol")
    except ImportError:
        raise LinkworkError(
            "Sobol's indices are computed by SALib, which is not installed.", component="sobol",
            remedy="pip install 'linkwork[sweeps]'.",
        ) from None  # fmt: skip
