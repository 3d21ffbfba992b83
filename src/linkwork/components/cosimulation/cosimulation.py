"""An FMU as a component: signals in, signals out, exchanged at fixed times; in between it goes its own way."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from linkwork.components.control.discrete import Discrete
from linkwork.components.cosimulation.description import (
    OTHER,
    REAL,
    TEXT,
    TRUTH,
    FmuDescription,
    FmuVariable,
    read_description,
)
from linkwork.components.given import Source
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import LinkworkWarning, ModelError, UnknownName, callers_level
from linkwork.core.kinds import is_number, mapping, names, positive_number, shown, text, tolerance
from linkwork.core.port import Port, scalar
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

SETTABLE = ("parameter", "structuralParameter", "input", "local", "output")
"""Causalities of variables whose start may be given, where the FMU takes it."""
FIXED = ("file", "inputs", "outputs", "parameters")
"""Arguments from which its ports and variables are made."""


@component
class Cosimulation(Wired, Discrete):
    """An FMU of another program as a component: every `step` [s] it is given its inputs, and its outputs are taken.

    Both are held in between. `drive["tau"]` is an output as a signal, also `drive.tau`. A run executes the code in the
    FMU: use those only that you trust. Needs FMPy (`pip install "linkwork[fmi]"`).
    """

    def __init__(
        self,
        name: str,
        file: Annotated[str, text, "its path: an FMU for co-simulation or model exchange, FMI 2.0 or 3.0"],
        *,
        step: Annotated[float, positive_number.saying("Give a time in s.")["s"], "between two exchanges"],
        inputs: Annotated[
            Mapping[str, Source | str | None] | None,
            mapping,
            "input of the FMU → a number, expression, function of t, table or output; or the name of a channel; "
            "None: a port that is connected later",
        ] = None,
        outputs: Annotated[
            Mapping[str, str] | Sequence[str] | str | None,
            names | mapping,
            "outputs to take, all unless given; {own name: output of the FMU} renames",
        ] = None,
        parameters: Annotated[
            Mapping[str, float | str | SX] | None, mapping, "start values: parameter of the FMU → number or text"
        ] = None,
        tolerance: Annotated[
            float | None, tolerance, "relative, for the solver in the FMU, or for ours where it has none"
        ] = None,
    ):
        super().__init__(name)
        self.file, self.step, self.tolerance = str(file), float(step), tolerance
        self.description = read_description(Path(self.file), self.name)
        _check_step(self.description, self.step, self.name)
        self.channel_inputs: dict[str, str] = {}
        """FMU's name → channel that feeds it."""
        self.fed: dict[str, str] = {}
        """FMU's name → own name of the signal that feeds it."""
        self.taken = self._outputs(outputs)
        """Own name → variable of the FMU."""
        self.start_values = {key: self._start_value(key, given) for key, given in (parameters or {}).items()}
        """FMU's name → value before it is initialised."""
        for key, given in (inputs or {}).items():
            self._feed(key, given)
        self._tell_unfed()
        self.held = {label: self.variable(f"{label}_held", 0.0) for label in self.taken}

    def _outputs(self, asked: Mapping[str, str] | Sequence[str] | str | None) -> dict[str, FmuVariable]:
        known = self.description
        if asked is None:
            usable = [known.variables[n] for n in known.named("output")]
            asked = [v.name for v in usable if not v.is_array and v.kind not in (TEXT, OTHER)]
        listed = [asked] if isinstance(asked, str) else asked
        pairs = list(listed.items()) if isinstance(listed, Mapping) else [(_own(n), n) for n in listed]
        by_label: dict[str, FmuVariable] = {}
        for label, fmu_name in pairs:
            variable = known.variable(fmu_name, ("output", "local"), "output", self.name)
            if variable.kind == TEXT:
                raise ModelError(f"the output {fmu_name!r} is a text.", component=self.name, remedy="Leave it out.")
            if not isinstance(label, str) or label != _own(label) or label in by_label:
                raise ModelError(
                    f"{shown(label)} cannot name its output {fmu_name!r}"
                    + (f", as it names {by_label[label].name!r}." if label in by_label else "."),
                    component=self.name,
                    remedy=f"Give names: outputs={{'{_own(str(label))}_2': {fmu_name!r}, …}}.",
                )
            by_label[label] = variable
            self.output(label)
        if not by_label:
            raise ModelError("it has no outputs.", component=self.name, remedy="Use an FMU with numbers as outputs.")
        return by_label

    def _start_value(self, key: str, given: object) -> float | str | SX:
        variable = self.description.variable(key, SETTABLE, "parameter", self.name)
        if isinstance(given, bool) and variable.kind == TRUTH:
            return float(given)
        if (variable.kind == TEXT) != isinstance(given, str):
            wanted = "a text" if variable.kind == TEXT else "a number"
            raise ModelError(f"{key} = {shown(given)}.", component=self.name, remedy=f"Give {wanted}.")
        if isinstance(given, str):
            return given
        value = scalar(given, self.name, key)
        return float(value) if value.is_constant() else value

    def _feed(self, key: str, given: Source | str | None) -> None:
        variable = self.description.variable(key, ("input",), "input", self.name)
        if variable.kind == TEXT or (variable.kind != REAL and not is_number(given)):
            raise ModelError(
                f"its input {key!r} takes no real numbers.",
                component=self.name,
                remedy="Give a number that stays: inputs of other kinds than reals follow no signal.",
            )
        if isinstance(given, str):
            self.channel_inputs[key] = given
            return
        label = _own(key)
        if label in self.taken or label in self.fed.values():
            label = f"{label}_in"
        self.fed[key] = label
        self.take_signal(label, given)

    def _tell_unfed(self) -> None:
        fed = {*self.fed, *self.channel_inputs, *self.start_values}
        unfed = [v for n in self.description.named("input") if n not in fed for v in [self.description.variables[n]]]
        if unfed:
            said = ", ".join(f"{v.name} = {v.start}" if v.start else v.name for v in unfed[:10])
            warnings.warn(
                LinkworkWarning(f"{self.name}: inputs of the FMU that nothing feeds stay as they are: {said}."),
                stacklevel=callers_level(),
            )

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIXED and self.__dict__.get("model") is not None:
            raise ModelError(
                "cannot be changed any more.",
                component=f"{self.name}.{name}",
                remedy="Give it where the component is made.",
            )
        super().__setattr__(name, value)

    def __getitem__(self, name: str) -> Port:
        """An output as a signal, by its own name or that of the FMU."""
        label = next((own for own, v in self.taken.items() if name in (own, v.name)), None)
        if label is None:
            known = [*self.taken, *(v.name for v in self.taken.values())]
            raise UnknownName("output", name, known, component=self.name)
        port: Port = self.ports[label]
        return port

    def equations(self) -> list[SX]:
        given = [self.ports[label].value - self.held[label] for label in self.taken]
        return [*given, *(self.der(x) for x in self.held.values())]

    def channels(self) -> dict[str, tuple[str, Number]]:
        known = self.description.variables
        channels: dict[str, tuple[str, Number]] = {
            label: (_unit(known[key]), self.value(label)) for key, label in self.fed.items()
        }
        channels |= {label: (_unit(v), self.held[label]) for label, v in self.taken.items()}
        symbolic = {key: x for key, x in self.start_values.items() if isinstance(x, SX)}
        return channels | {f"start_{_own(key)}": (_unit(known[key]), x) for key, x in symbolic.items()}

    @property
    def fed_by(self) -> dict[str, str]:
        """FMU's name of each input → the channel that holds what it is given."""
        return {key: f"{self.name}.{label}" for key, label in self.fed.items()} | self.channel_inputs

    def starts_from(self, channels: Mapping[str, float]) -> dict[str, float | str]:
        """FMU's name → value before it is initialised; channels: of the start."""
        return {
            key: channels[f"{self.name}.start_{_own(key)}"] if isinstance(x, SX) else x
            for key, x in self.start_values.items()
        }


def _own(name: str) -> str:
    """A name of an FMU as an attribute: "motor.tau[1]" → "motor_tau_1"."""
    word = re.sub(r"\W+", "_", name).strip("_")
    return word if word[:1].isalpha() else f"x{word}"


def _unit(variable: FmuVariable) -> str:
    return variable.unit.replace(".", "·")


def _check_step(known: FmuDescription, step: float, owner: str) -> None:
    fixed = known.fixed_step
    if fixed and abs(step / fixed - round(step / fixed)) > 1e-9 * step / fixed:
        raise ModelError(
            f"step={step:g} s is no multiple of the step of the FMU, {fixed:g} s.",
            component=owner,
            remedy=f"Give step={max(1, round(step / fixed)) * fixed:g}.",
        )
    if known.needs_tool:
        warnings.warn(
            LinkworkWarning(f"{owner}: the FMU needs the program that made it to be installed."),
            stacklevel=callers_level(),
        )
