"""modelDescription.xml of FMI 2.0 and 3.0, and the description of the build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as xml

from linkwork.export.fmi.units import unit_of
from linkwork.export.fmi.variables import Variable

VERSIONS = ("3.0", "2.0")


@dataclass(frozen=True)
class Description:
    """What is said of one model in either version."""

    name: str
    identifier: str
    token: str
    tool: str
    note: str
    variables: Sequence[Variable]
    sources: Sequence[str]
    duration: float
    tolerance: float

    def model(self, version: str) -> bytes:
        """modelDescription.xml."""
        return _text(_Two(self).tree() if version == "2.0" else _Three(self).tree())

    def build(self) -> bytes:
        """buildDescription.xml, which FMI 3.0 has beside the sources."""
        root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
        files = xml.SubElement(
            xml.SubElement(root, "BuildConfiguration", modelIdentifier=self.identifier),
            "SourceFileSet",
            language="C11",
        )
        for name in self.sources:
            xml.SubElement(files, "SourceFile", name=name)
        xml.SubElement(files, "PreprocessorDefinition", name="LW_PRIVATE")
        return _text(root)


def _text(root: xml.Element) -> bytes:
    xml.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="utf-8") + b"\n"


def _number(value: float) -> str:
    return repr(float(value))


class _Version:
    """What both versions have in common."""

    version: str
    identity: str
    """How the token is called."""

    def __init__(self, of: Description):
        self.of = of

    def tree(self) -> xml.Element:
        of = self.of
        root = xml.Element("fmiModelDescription", fmiVersion=self.version, modelName=of.name)
        root.set(self.identity, of.token)
        if of.note:
            root.set("description", of.note)
        root.set("generationTool", of.tool)
        root.set("variableNamingConvention", "flat")
        self.kinds(root)
        self._units(root)
        log = xml.SubElement(root, "LogCategories")
        for category in ("logStatusError", "logStatusDiscard"):
            xml.SubElement(log, "Category", name=category)
        experiment = {"startTime": 0.0, "stopTime": of.duration, "tolerance": of.tolerance}
        xml.SubElement(root, "DefaultExperiment", {key: _number(x) for key, x in experiment.items()})
        listed = xml.SubElement(root, "ModelVariables")
        for reference, variable in enumerate(of.variables):
            self.variable(listed, reference, variable)
        self.structure(xml.SubElement(root, "ModelStructure"))
        return root

    def kinds(self, root: xml.Element) -> None:
        raise NotImplementedError

    def variable(self, listed: xml.Element, reference: int, variable: Variable) -> None:
        raise NotImplementedError

    def structure(self, parent: xml.Element) -> None:
        raise NotImplementedError

    def _units(self, root: xml.Element) -> None:
        names = sorted({v.unit for v in self.of.variables if v.unit})
        if not names:
            return
        defined = xml.SubElement(root, "UnitDefinitions")
        for name in names:
            one, known = xml.SubElement(defined, "Unit", name=name), unit_of(name)
            if known is not None:
                base = {key: str(x) for key, x in known.exponents.items()}
                base |= {"factor": _number(known.factor)} if known.factor != 1 else {}
                xml.SubElement(one, "BaseUnit", base)

    @property
    def outputs(self) -> list[int]:
        return [k for k, v in enumerate(self.of.variables) if v.causality == "output"]

    @property
    def rates(self) -> list[int]:
        return [k for k, v in enumerate(self.of.variables) if v.state is not None]

    @property
    def indicators(self) -> list[int]:
        return [k for k, v in enumerate(self.of.variables) if v.is_indicator]


def _common(reference: int, variable: Variable) -> dict[str, str]:
    attributes = {"name": variable.name, "valueReference": str(reference), "causality": variable.causality}
    attributes["variability"] = variable.variability
    if variable.initial is not None:
        attributes["initial"] = variable.initial
    return attributes


def _values(variable: Variable) -> dict[str, str]:
    attributes = {"unit": variable.unit} if variable.unit else {}
    attributes |= {"start": _number(variable.start)} if variable.start is not None else {}
    attributes |= {"nominal": _number(variable.nominal)} if variable.nominal is not None else {}
    return attributes | ({"reinit": "true"} if variable.is_state else {})


class _Two(_Version):
    version, identity = "2.0", "guid"

    def kinds(self, root: xml.Element) -> None:
        root.set("numberOfEventIndicators", str(len(self.indicators)))
        able = ("canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative")
        for kind in ("ModelExchange", "CoSimulation"):
            one = xml.SubElement(root, kind, {"modelIdentifier": self.of.identifier, **dict.fromkeys(able, "true")})
            if kind == "CoSimulation":
                one.set("canHandleVariableCommunicationStepSize", "true")
            files = xml.SubElement(one, "SourceFiles")
            for name in self.of.sources:
                xml.SubElement(files, "File", name=name)

    def variable(self, listed: xml.Element, reference: int, variable: Variable) -> None:
        real = xml.SubElement(xml.SubElement(listed, "ScalarVariable", _common(reference, variable)), "Real")
        if variable.state is not None:
            real.set("derivative", str(variable.state + 1))
        for key, value in _values(variable).items():
            real.set(key, value)

    def structure(self, parent: xml.Element) -> None:
        """Variables are counted from 1 here, in the order in which they are listed."""
        unknown = sorted({*self.outputs, *self.rates})
        for kind, indices in (("Outputs", self.outputs), ("Derivatives", self.rates), ("InitialUnknowns", unknown)):
            if indices:
                one = xml.SubElement(parent, kind)
                for k in indices:
                    xml.SubElement(one, "Unknown", index=str(k + 1))


class _Three(_Version):
    version, identity = "3.0", "instantiationToken"

    def kinds(self, root: xml.Element) -> None:
        able = ("canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives")
        for kind in ("ModelExchange", "CoSimulation"):
            one = xml.SubElement(root, kind, {"modelIdentifier": self.of.identifier, **dict.fromkeys(able, "true")})
            if kind == "CoSimulation":
                one.set("canHandleVariableCommunicationStepSize", "true")

    def variable(self, listed: xml.Element, reference: int, variable: Variable) -> None:
        one = xml.SubElement(listed, "Float64", _common(reference, variable))
        if variable.state is not None:
            one.set("derivative", str(variable.state))
        for key, value in _values(variable).items():
            one.set(key, value)

    def structure(self, parent: xml.Element) -> None:
        by_kind = {"Output": self.outputs, "ContinuousStateDerivative": self.rates}
        by_kind |= {"InitialUnknown": sorted({*self.outputs, *self.rates}), "EventIndicator": self.indicators}
        for kind, references in by_kind.items():
            for k in references:
                xml.SubElement(parent, kind, valueReference=str(k))
