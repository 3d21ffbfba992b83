"""Result: named channels over time, and the record of how they were made."""

from __future__ import annotations

import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from linkwork.core import reaction, summary
from linkwork.core.arguments import method
from linkwork.core.errors import LinkworkError, LinkworkWarning, UnknownName, callers_level
from linkwork.core.face import ResultFace
from linkwork.core.finding import Finding
from linkwork.core.kinds import instant, text
from linkwork.core.plain_data import Data, Record
from linkwork.core.program import Channel, Channels
from linkwork.core.verification import Verification


class Shared(dict[str, Any]):
    """Plain data that several results hold; whoever asks one of them for it gets a copy."""


class Later(ABC):
    """Plain data that is made when it is first asked for; nothing that happens in between changes it."""

    @abstractmethod
    def make(self) -> Record: ...


class Result(ResultFace, Mapping[str, np.ndarray]):
    """Channels over time; a read-only mapping from channel name to array.

    t            times [s], shape (samples,), never decreasing
    data         values, shape (samples, channels)
    channels     name and unit of each column of `data`
    record       how the run was made; JSON-able. Keys that are understood here:
                 "model", "status" ("finished" | "cancelled" | "failed"), "formulation", "solver", "rtol", "atol",
                 "parameters" {name: value}, "versions" {package: text}, "timings" {"derive", "compile", "run":
                 seconds}, "statistics" {"accepted", "rejected": steps, …}, "show" [channel patterns worth a first
                 look], "warnings" [what the watch found: name, component, time, message]
    events       (time [s], name) of each located event, in order
    description  the mechanism, as far as a reader of the numbers needs it; JSON-able. "ground" is the ground's name;
                 "joints" maps each joint to {"dimension": 2 | 3, "first": side, "second": side}, with
                 side = {"body": name, "rotation": 3×3 joint axes → body axes, "point": [x, y, z] in body axes [m]};
                 "bodies" their shapes, masses and inertias, "parts" frames and numbers of all other components

    Verbs that need more than arrays (`plot`, `save`, `load`) live in the layers above and are attached by `register`.
    """

    def __init__(
        self,
        t: object,
        data: object,
        channels: Sequence[Channel],
        *,
        record: Data | None = None,
        events: Iterable[tuple[float, str]] = (),
        description: Data | Later | None = None,
    ):
        self.t = _read_only(t)
        self.data = _read_only(data)
        self.channels = channels if isinstance(channels, Channels) else Channels(channels)
        self.record: Record = plain(record or {})
        self.events: list[tuple[float, str]] = [(float(time), str(name)) for time, name in events]
        kept = isinstance(description, Shared | Later)
        self._description: Record | Later = description if kept else plain(description or {})  # type: ignore[assignment]
        self._bonds: Any = None
        self._column = self.channels.column
        if self.data.shape != (self.t.size, len(self.channels)) or self.t.ndim != 1:
            shape = (self.t.size, len(self.channels))
            raise ValueError(f"data has the shape {self.data.shape}, but t and channels ask for {shape}")
        if len(self._column) != len(self.channels):
            raise ValueError("two channels have the same name")

    @property
    def description(self) -> Record:
        known = self._description
        if isinstance(known, Later):
            known = self._description = known.make()
        elif isinstance(known, Shared):
            known = self._description = plain(known)
        return known

    # Reading ---------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of one channel, shape (samples,), as a read-only view."""
        known = self._column.get(name) if type(name) is str else None
        return self.data[:, known] if known is not None else self._asked(name)

    @method(name=text)
    def _asked(self, name: str) -> np.ndarray:
        return self.data[:, self._index(name)]

    def __contains__(self, name: object) -> bool:
        # without looking for names that come near, as an error would
        return isinstance(name, str) and name in self._column

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        """The number of channels."""
        return len(self.channels)

    # Mapping would compare arrays element by element and give up; two results are the same only if they are one object.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @method(name=text)
    def unit(self, name: str) -> str:
        """The unit of one channel; empty for a pure number."""
        return self.channels[self._index(name)].unit

    @method(patterns=text)
    def names(self, *patterns: str) -> list[str]:
        """Channel names that match any of the patterns (`*`, `?`, `[…]`), each once, in the order asked for."""
        names: dict[str, None] = {}
        for pattern in patterns:
            matches = [pattern] if pattern in self else [name for name in self if fnmatchcase(name, pattern)]
            if not matches:
                raise UnknownName("channel", pattern, self)
            names.update(dict.fromkeys(matches))
        return list(names)

    def select(self, *patterns: str) -> dict[str, np.ndarray]:
        """The channels that match any of the patterns, such as `"O.reaction.*"`, as {name: values}."""
        return {name: self[name] for name in self.names(*patterns)}

    @method(time=instant)
    def at(self, time: float) -> dict[str, float]:
        """Every channel at one time [s], linear between the samples."""
        if not self.t.size or not self.t[0] <= time <= self.t[-1]:
            span = f"covers {self.t[0]:g} … {self.t[-1]:g} s" if self.t.size else "is empty"
            raise LinkworkError(f"no value at {time:g} s: the result {span}.", component=self.record.get("model"))
        after = int(np.clip(np.searchsorted(self.t, time), 1, max(self.t.size - 1, 1)))
        before = after - 1
        width = self.t[after] - self.t[before] if self.t.size > 1 else 0.0
        if width == 0.0:  # one sample only, or two at one time (an event): nothing to interpolate
            row = self.data[before]
        else:
            share = (time - self.t[before]) / width
            row = (1.0 - share) * self.data[before] + share * self.data[after]
        return dict(zip(self, row.tolist(), strict=True))

    @property
    def final(self) -> dict[str, float]:
        """Every channel at the last sample."""
        if not self.t.size:
            raise LinkworkError("the result is empty: it has no last sample.", component=self.record.get("model"))
        return dict(zip(self, self.data[-1].tolist(), strict=True))

    @property
    def warnings(self) -> list[Finding]:
        """What the watch has to say about the run; empty: nothing. Each has name, component, time [s] and message."""
        return [Finding.read(data) for data in self.record.get("warnings", [])]

    @property
    def verification(self) -> Verification | None:
        """Digits that can be believed, of a run with verify=True; None: it was not asked for."""
        data = self.record.get("verification")
        return None if data is None else Verification.read(data)

    def warn(self, findings: Iterable[Finding]) -> None:
        """Add to `warnings`, and tell each as a Python warning."""
        for finding in findings:
            self.record.setdefault("warnings", []).append(plain(finding.plain()))
            warnings.warn(str(finding), LinkworkWarning, stacklevel=callers_level())

    @method(joint=text, frame=text, on=text)
    def reaction(self, joint: str, *, frame: str = "world", on: str = "second") -> dict[str, np.ndarray]:
        """The wrench a joint applies to one of its bodies, at the joint, in the axes of a chosen frame.

        joint  the joint's name
        frame  "world", "first" or "second" (the joint's own frames on its two bodies), or the name of a body
        on     "second" (the default) or "first": the body that the wrench acts on

        Returns fx, fy [N], mz [N·m] in the plane and fx, fy, fz, mx, my, mz in space, each of shape (samples,).
        """
        return reaction.wrench(self, self.description, joint, frame=frame, on=on)

    @property
    def bonds(self) -> Any:
        """Power on every bond, energy and activity of every element (BondTable), of a run made from a bond graph.

        Evaluated when it is first asked for; a result that was loaded from a file has none.
        """
        if self._bonds is None:
            raise LinkworkError(
                "this result has no bonds.",
                component=self.record.get("model"),
                remedy="Run a BondGraph, or m.simulate(…, formulation='bondgraph'), and ask the result itself.",
            )
        if callable(self._bonds):
            self._bonds = self._bonds()
        return self._bonds

    def offer_bonds(self, make: Callable[[], object]) -> None:
        """Let `bonds` be what `make()` returns, called when it is asked for."""
        self._bonds = make

    def __getstate__(self) -> Record:
        """Copies and other processes get the numbers; what can still be computed stays with the original."""
        return {**self.__dict__, "_bonds": None}

    # Other packages --------------------------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A pandas DataFrame: one column per channel, indexed by t; units and record in `attrs`."""
        frame = _optional("pandas").DataFrame(dict(self), index=np.array(self.t))
        frame.index.name = "t"
        frame.attrs = {"units": {c.name: c.unit for c in self.channels}, "record": self.record}
        return frame

    def to_xarray(self) -> Any:
        """An xarray Dataset: one variable per channel over t, each with its `units`; the record in `attrs`.

        What is not a text or a number in the record becomes JSON text, because xarray can save nothing else.
        """
        xarray = _optional("xarray")
        notes = {k: v if isinstance(v, str | int | float) else json.dumps(v) for k, v in self.record.items()}
        variables = {c.name: ("t", np.array(self[c.name]), {"units": c.unit}) for c in self.channels}
        return xarray.Dataset(variables, {"t": ("t", np.array(self.t), {"units": "s"})}, attrs=notes)

    # Showing ---------------------------------------------------------------------------------------------------------

    def summary(self) -> dict[str, str]:
        """The short account of the run that `repr` prints: {what: text}."""
        return summary.facts(self)

    def __repr__(self) -> str:
        return summary.as_text(self)

    def _index(self, name: str) -> int:
        try:
            return self._column[name]
        except KeyError:
            raise UnknownName("channel", name, self) from None


_PLAIN = frozenset({float, str, int, bool, type(None)})


def plain(value: object) -> Any:
    """The same content in JSON's own types, so that a saved record comes back equal."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:  # most of what there is: numbers of frames
        return [item if type(item) in _PLAIN else plain(item) for item in value]  # type: ignore[attr-defined]
    if kind is dict:
        return {
            key if type(key) is str else str(key): item if type(item) in _PLAIN else plain(item)
            for key, item in value.items()  # type: ignore[attr-defined]
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def description_of(result: Result) -> Record:
    """What `result.description` is, to be looked at and not changed: others may hold it, too."""
    return result.description if isinstance(result._description, Later) else result._description


def described_by(result: Result) -> Record | Later:
    """The same as it is held, for another result."""
    return result._description


def _read_only(values: object) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64).view()
    array.flags.writeable = False
    return array


def _optional(package: str) -> ModuleType:
    try:
        return import_module(package)
    except ImportError:
        raise LinkworkError(
            f"{package} is needed for this and is not installed.",
            remedy="Install it with: pip install 'linkwork[data]'",
        ) from None
