"""What a sweep holds: the variables of its Dataset, wherever they are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data, Record
from linkwork.sweeps.outcome import Quantity

if TYPE_CHECKING:
    import xarray

TOLD = ("status", "reason", "end_time", "warnings", "engine")
"""Of every case."""


@dataclass(frozen=True)
class Contents:
    """name: of the model; columns: what varies, (cases,) and unit; dimensions: beside the cases; axes: of a grid."""

    name: str
    cases: int
    layout: tuple[Quantity, ...]
    columns: Mapping[str, tuple[np.ndarray, str]]
    dimensions: Mapping[str, tuple[np.ndarray, str]]
    axes: Mapping[str, int]

    def __post_init__(self) -> None:
        known = [*TOLD, *self.dimensions, *self.columns, *(q.name for q in self.layout)]
        for name in known:
            if known.count(name) > 1:
                raise LinkworkError(
                    f"two things are called {name!r} in the result.", component=self.name,
                    remedy="Give the parameter, or what is kept, another name.",
                )  # fmt: skip

    def attributes(self, record: Data) -> Record:
        """Of the whole Dataset: numbers and texts only, as files know no more."""
        notes = {k: v if isinstance(v, str | int | float) else json.dumps(v) for k, v in record.items()}
        return {"model": self.name, "grid": json.dumps(dict(self.axes)), **notes}

    def described(self, quantity: Quantity) -> tuple[tuple[str, ...], dict[str, str]]:
        """Dimensions and attributes of a variable."""
        return ("case", *([quantity.dimension] if quantity.dimension else [])), {"units": quantity.unit}

    def dataset(self, held: Mapping[str, Any], record: Data) -> xarray.Dataset:
        """From arrays by name."""
        xarray = import_xarray()
        variables: dict[str, Any] = {name: ("case", held[name]) for name in TOLD}
        variables["end_time"] = ("case", held["end_time"], {"units": "s"})
        for quantity in self.layout:
            dimensions, attributes = self.described(quantity)
            variables[quantity.name] = (dimensions, held[quantity.name], attributes)
        coordinates = {name: ("case", x, {"units": unit}) for name, (x, unit) in self.columns.items()}
        coordinates |= {name: (name, x, {"units": unit}) for name, (x, unit) in self.dimensions.items()}
        return xarray.Dataset(variables, coordinates, attrs=self.attributes(record))


def import_xarray() -> Any:
    """xarray, or how to get it."""
    try:
        import xarray
    except ImportError:
        raise LinkworkError(
            "the result of a sweep is a Dataset of xarray, which is not installed.",
            component="sweep",
            remedy="pip install 'linkwork[sweeps]'.",
        ) from None
    from linkwork.sweeps import accessor  # noqa: F401  (gives Datasets their plots)

    return xarray
