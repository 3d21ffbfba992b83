"""What an FMU says of itself (FMI 2.0 and 3.0): its variables, and what it can do as a partner in a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

from linkwork.components.cosimulation.archive import DESCRIPTION, description_in
from linkwork.core.errors import ModelError, UnknownName

VERSIONS = ("2.0", "3.0")
COSIMULATION, EXCHANGE = "CoSimulation", "ModelExchange"
"""Kinds of FMUs: with a solver of their own, or with states for one of ours."""
REAL, WHOLE, TRUTH, TEXT, OTHER = "real", "whole", "truth", "text", "other"
"""What a variable holds."""
_TYPES = {
    "Real": ("Real", REAL), "Float64": ("Float64", REAL), "Float32": ("Float32", REAL),
    "Integer": ("Integer", WHOLE), "Enumeration": ("Integer", WHOLE),
    "Boolean": ("Boolean", TRUTH), "String": ("String", TEXT),
    **{f"{sign}Int{bits}": (f"{sign}Int{bits}", WHOLE) for sign in ("", "U") for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""Element → the word by which functions of FMI read and write it, and what it holds."""


@dataclass(frozen=True)
class FmuVariable:
    """One number (or text) of an FMU."""

    name: str
    reference: int
    causality: str
    kind: str
    """What it holds."""
    access: str
    """Type in the names of the functions that read and write it: Real, Float64, …"""
    unit: str = ""
    start: str = ""
    is_array: bool = False


@dataclass(frozen=True)
class FmuDescription:
    """What a run needs to know of an FMU."""

    version: str
    kind: str
    """COSIMULATION, or EXCHANGE where it is for nothing else."""
    token: str
    """By which the library recognises its description (guid, instantiationToken)."""
    identifier: str
    """The name of its library."""
    variables: dict[str, FmuVariable]
    keeps_state: bool
    """Whether its state can be saved and restored."""
    only_once: bool
    """Whether a process may have one instance only."""
    needs_tool: bool
    """Whether it needs the program that made it."""
    fixed_step: float | None
    """Step [s] that steps of communication must be multiples of."""
    states: int
    indicators: int
    """Continuous states and event indicators, as FMI 2.0 counts them in the description."""

    def named(self, causality: str) -> list[str]:
        return [v.name for v in self.variables.values() if v.causality == causality]

    def variable(self, name: object, causalities: tuple[str, ...], what: str, owner: str) -> FmuVariable:
        """One that exists and is of such a kind; else an error with the nearest name."""
        variable = self.variables.get(name) if isinstance(name, str) else None
        if variable is None or variable.causality not in causalities:
            error = UnknownName(what, str(name), self.named(causalities[0]), component=owner)
            if variable is None:
                raise error
            raise ModelError(f"{name!r} is no {what} but: {variable.causality}.", component=owner, remedy=error.remedy)
        if variable.is_array or variable.kind == OTHER:
            raise ModelError(
                f"{name!r} of the FMU is {'an array' if variable.is_array else 'neither a number nor a text'}.",
                component=owner,
                remedy="Single numbers are exchanged: have the FMU exported with scalar variables.",
            )
        return variable


def read_description(file: Path, owner: str) -> FmuDescription:
    """Of the FMU in a file; nothing of it is executed."""
    text = description_in(file, owner)
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise ModelError(f"{DESCRIPTION} of {file.name} declares entities, which are not read.", component=owner)
    try:
        root = ElementTree.fromstring(text)
        return _described(root, file, owner)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{DESCRIPTION} of {file.name} cannot be read: {error}.", component=owner, remedy="Export it again."
        ) from error


def _described(root: ElementTree.Element, file: Path, owner: str) -> FmuDescription:
    def refuse(cause: str, remedy: str) -> NoReturn:
        raise ModelError(f"{file.name} {cause}.", component=owner, remedy=remedy)

    version = root.get("fmiVersion", "")
    if version[:3] not in VERSIONS or root.tag != "fmiModelDescription":
        refuse(f"is of FMI version {version or 'unknown'}", f"Have it exported as FMI {' or '.join(VERSIONS)}.")
    kind = COSIMULATION if root.find(COSIMULATION) is not None else EXCHANGE
    part = root.find(kind)
    if part is None:
        other = "scheduled execution" if root.find("ScheduledExecution") is not None else "nothing"
        refuse(
            f"is an FMU for {other}",
            "Have it exported for co-simulation: it then brings its own solver along.",
        )
    fixed = part.get("fixedInternalStepSize")
    return FmuDescription(
        version=version[:3],
        kind=kind,
        token=root.get("guid") or root.get("instantiationToken") or "",
        identifier=part.get("modelIdentifier", ""),
        variables={v.name: v for v in _variables(root)},
        keeps_state="true" in (part.get("canGetAndSetFMUstate"), part.get("canGetAndSetFMUState")),
        only_once=part.get("canBeInstantiatedOnlyOncePerProcess") == "true",
        needs_tool=part.get("needsExecutionTool") == "true",
        fixed_step=None if fixed is None else float(fixed),
        states=len(root.findall("ModelStructure/Derivatives/Unknown")),
        indicators=int(root.get("numberOfEventIndicators", "0")),
    )


def _variables(root: ElementTree.Element) -> Iterator[FmuVariable]:
    listed = root.find("ModelVariables")
    units = _declared_units(root)
    for element in listed if listed is not None else ():
        typed = element if element.tag != "ScalarVariable" else next(iter(element), element)
        access, kind = _TYPES.get(typed.tag, (typed.tag, OTHER))
        start = typed.get("start", "")
        yield FmuVariable(
            name=element.get("name", ""),
            reference=int(element.get("valueReference", "")),
            causality=element.get("causality", "local"),
            kind=kind,
            access=access,
            unit=typed.get("unit") or units.get(typed.get("declaredType", ""), ""),
            start=start or _first_text(typed),
            is_array=typed.find("Dimension") is not None,
        )


def _first_text(typed: ElementTree.Element) -> str:
    """The start of a text in FMI 3.0 stands in an element of its own."""
    start = typed.find("Start")
    return "" if start is None else start.get("value", "")


def _declared_units(root: ElementTree.Element) -> dict[str, str]:
    """Units by the names of declared types."""
    units: dict[str, str] = {}
    types = root.find("TypeDefinitions")
    for declared in types if types is not None else ():
        for element in (declared, *declared):
            if element.get("unit"):
                units[declared.get("name", "")] = element.get("unit", "")
    return units
