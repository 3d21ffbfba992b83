"""What Datasets of sweeps can do beside what xarray does: `ds.sweep.summary()`. Importing it registers that."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import xarray

from linkwork.sweeps import plots, statistics

if TYPE_CHECKING:
    from linkwork.plots.figure import Figure


@xarray.register_dataset_accessor("sweep")
class SweepAccessor:
    """Of a Dataset that `m.sweep(…)` gave, or that was read from the folder it wrote."""

    def __init__(self, dataset: xarray.Dataset):
        self._dataset = dataset

    def summary(self, quantiles: Sequence[float] = statistics.QUANTILES) -> xarray.Dataset:
        """Number of cases, mean, standard deviation and quantiles of all that was kept, over the dimension `statistic`.

        Cases that gave no number are left out.
        """
        return statistics.summary(self._dataset, quantiles)

    def sobol(self, name: str, *, seed: int = 0) -> xarray.Dataset:
        """Sobol's indices of one number of each case, by SALib, from cases drawn with sampling="saltelli".

        `first`: the share of the variance that a parameter has alone, `total`: with all in which it takes part; both
        with the half-width of their 95 % interval.
        """
        return statistics.sobol(self._dataset, name, seed=seed)

    def ribbon(
        self,
        *channels: str,
        file: str | os.PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the median of channels over time, and the bands that hold 50 % and 90 % of the cases.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
        """
        return plots.ribbon(self._dataset, channels, file=file, title=title, size=size)

    def contour(
        self,
        name: str,
        x: str | None = None,
        y: str | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw one number of each case over two parameters; cases that gave none are crosses.

        x, y: what is along and up (default: the two that vary); file, title, size: as in `ribbon`
        """
        return plots.contour(self._dataset, name, x, y, file=file, title=title, size=size)
