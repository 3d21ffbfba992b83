"""A running FMU, by FMPy's binary interface. Whatever fails in it is an error with the time."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.components.cosimulation.archive import names_in, unpacked
from linkwork.components.cosimulation.cosimulation import Cosimulation
from linkwork.components.cosimulation.description import EXCHANGE, TEXT, TRUTH, FmuVariable
from linkwork.core.errors import LinkworkError, ModelError

MESSAGES_KEPT = 3
"""Last messages of an FMU that an error repeats."""
_running: set[str] = set()
"""Tokens of FMUs of which a process may have one instance only."""


class Instance:
    """One FMU between its start and its end."""

    def __init__(self, part: Cosimulation):
        self._part, self._known = part, part.description
        self._messages: list[str] = []
        fmpy = _fmpy(part.name)
        file = Path(part.file)
        check_platform(names_in(file, part.name), self._known.identifier, self._known.version, fmpy, part.name)
        if self._known.only_once and self._known.token in _running:
            raise ModelError(
                "the FMU can run only once at a time in a process.", component=part.name, remedy="Use it once."
            )
        self._folder = unpacked(file, part.name)
        self._fmu: Any = None
        self._call("cannot be started", 0.0, lambda: self._instantiate(fmpy))
        token = self._known.token if self._known.only_once else None
        if token:
            _running.add(token)
        self._end = weakref.finalize(self, _ended, self._fmu, token)

    def _instantiate(self, fmpy: Any) -> None:
        known, second = self._known, self._known.version == "2.0"
        module = import_module("fmpy.fmi2" if second else "fmpy.fmi3")
        role = "Model" if known.kind == EXCHANGE else "Slave"
        kind = getattr(module, f"FMU{2 if second else 3}{role}")
        fmu = kind(
            guid=known.token,
            unzipDirectory=str(self._folder.path),
            modelIdentifier=known.identifier,
            instanceName=self._part.name,
        )
        kept = self._messages
        if second:
            callbacks = module.fmi2CallbackFunctions()
            callbacks.logger = module.fmi2CallbackLoggerTYPE(lambda _e, _n, _s, _c, text: _note(kept, text))
            callbacks.allocateMemory = module.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
            callbacks.freeMemory = module.fmi2CallbackFreeMemoryTYPE(fmpy.free)
            import_module("fmpy.logging").addLoggerProxy(ctypes.byref(callbacks))
            fmu.instantiate(callbacks=callbacks)
        else:
            fmu.instantiate(logMessage=lambda _e, _s, _c, text: _note(kept, text))
        self._fmu = fmu

    def initialise(self, starts: Mapping[str, float | str], inputs: Mapping[str, float]) -> None:
        """From instantiated to ready for its first step, at t = 0."""
        fmu, part = self._fmu, self._part

        def begin() -> None:
            if self._known.version == "2.0":
                fmu.setupExperiment(tolerance=part.tolerance, startTime=0.0)
                self._set(starts)
                fmu.enterInitializationMode()
            else:
                self._set(starts)
                fmu.enterInitializationMode(tolerance=part.tolerance, startTime=0.0)
            self._set(inputs)
            fmu.exitInitializationMode()

        self._call("cannot be initialised", 0.0, begin)

    def give(self, inputs: Mapping[str, float], t: float) -> None:
        """Its inputs from now on."""
        self._call("does not take its inputs", t, lambda: self._set(inputs))

    def step(self, t: float, length: float) -> None:
        """From t [s] on by a length [s]."""
        ended: list[str] = []

        def go() -> None:
            answer = self._fmu.doStep(currentCommunicationPoint=t, communicationStepSize=length)
            if answer is None:
                return
            _, terminate, early, last = answer
            if terminate:
                ended.append("asks to end the simulation")
            elif early or abs(last - (t + length)) > 1e-9 * max(1.0, abs(t)) + 1e-6 * length:
                ended.append(f"has come to t = {last:.9g} s only")

        self._call(f"failed in its step from t = {t:.9g} s to {t + length:.9g} s", t, go)
        if ended:
            raise self._error(f"the FMU {ended[0]}, in its step from t = {t:.9g} s to {t + length:.9g} s")

    def outputs(self, t: float) -> dict[str, float]:
        """By own name; LinkworkError where one is no finite number."""
        variables = self._part.taken
        outputs: dict[str, float] = {}

        def get() -> None:
            for access in {v.access for v in variables.values()}:
                chosen = {label: v for label, v in variables.items() if v.access == access}
                values = getattr(self._fmu, f"get{access}")([v.reference for v in chosen.values()])
                outputs.update(zip(chosen, map(float, values), strict=True))

        self._call("does not tell its outputs", t, get)
        for label, value in outputs.items():
            if not np.isfinite(value):
                raise self._error(f"its output {variables[label].name!r} is {value} at t = {t:.9g} s")
        return outputs

    def state(self) -> KeptState:
        """What it is like now, to come back to."""
        if not self._known.keeps_state:
            raise ModelError(
                "the FMU cannot save its state (canGetAndSetFMUState).",
                component=self._part.name,
                remedy="Begin again by reset(), or have it exported with that capability.",
            )
        name = "getFMUstate" if self._known.version == "2.0" else "getFMUState"
        kept = KeptState(self._call("cannot save its state", 0.0, getattr(self._fmu, name)))
        weakref.finalize(kept, _released, self._fmu, kept.handle, self._end)
        return kept

    def restore(self, state: object) -> None:
        assert isinstance(state, KeptState)
        name = "setFMUstate" if self._known.version == "2.0" else "setFMUState"
        self._call("cannot restore its state", 0.0, lambda: getattr(self._fmu, name)(state.handle))

    def end(self) -> None:
        self._end()

    def _set(self, values: Mapping[str, float | str]) -> None:
        for name, value in values.items():
            variable = self._known.variables[name]
            getattr(self._fmu, f"set{variable.access}")([variable.reference], [_as(variable, value)])

    def _call(self, what: str, t: float, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except LinkworkError:
            raise
        except Exception as error:  # FMPy raises Exception itself, ctypes others
            when = f" at t = {t:.9g} s" if t and "t =" not in what else ""
            raise self._error(f"the FMU {what}{when}", error) from error

    def _error(self, cause: str, error: Exception | None = None) -> LinkworkError:
        said = [str(error).rstrip(".")] if error is not None else []
        said += self._messages[-MESSAGES_KEPT:]
        return LinkworkError(
            f"{cause}{': ' + '; '.join(said) if said else ''}.",
            component=self._part.name,
            remedy="See its inputs and outputs up to there." if self._fmu else "Have it exported again.",
        )


class KeptState:
    """A state of an FMU, which only itself can read."""

    def __init__(self, handle: Any):
        self.handle = handle
        self.more: tuple[Any, ...] = ()
        """What whoever drives it remembers besides."""


def check_platform(names: Iterable[str], identifier: str, version: str, fmpy: Any, owner: str) -> None:
    """ModelError where there is no library for this machine."""
    folder = fmpy.platform if version == "2.0" else fmpy.platform_tuple
    listed = list(names)
    if f"binaries/{folder}/{identifier}{fmpy.sharedLibraryExtension}" in listed:
        return
    others = sorted({n.split("/")[1] for n in listed if n.startswith("binaries/") and n.count("/") > 1})
    raise ModelError(
        f"the FMU has no library for {folder}, but for: {', '.join(others) or 'no platform'}.",
        component=owner,
        remedy="Have it exported for this platform"
        + (", or build its sources: `fmpy compile FILE`." if any(n.startswith("sources/") for n in listed) else "."),
    )


def _fmpy(owner: str) -> Any:
    try:
        return import_module("fmpy")
    except ImportError:
        raise ModelError(
            "FMPy, which runs FMUs, is not installed.", component=owner, remedy='pip install "linkwork[fmi]"'
        ) from None


def _as(variable: FmuVariable, value: float | str) -> float | int | bool | str:
    if isinstance(value, str) or variable.kind == TEXT:
        return str(value)
    if variable.access in ("Real", "Float64", "Float32"):
        return float(value)
    return bool(value) if variable.kind == TRUTH else round(value)


def _note(kept: list[str], text: bytes | ctypes.c_char_p | None) -> None:
    if isinstance(text, bytes):
        kept.append(text.decode("utf-8", "replace").strip().rstrip("."))
        del kept[:-MESSAGES_KEPT]


def _released(fmu: Any, handle: Any, end: weakref.finalize) -> None:
    """Free a state that was kept, unless its FMU is gone."""
    if end.alive:
        free = getattr(fmu, "freeFMUstate", None) or fmu.freeFMUState
        free(handle)


def _ended(fmu: Any, token: str | None) -> None:
    if token:
        _running.discard(token)
    for function in (fmu.terminate, fmu.freeInstance):
        try:
            function()
        except Exception:  # it has failed before, which was told
            pass
