"""`m.fmu("x.fmu")`: a model as one file that other simulators run."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.core.activity import begin
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.export.fmi.build import compiled, library_name, library_sources, platform_folder, write_zip
from linkwork.export.fmi.content import Content, content_of
from linkwork.export.fmi.description import VERSIONS, Description
from linkwork.export.fmi.source import generated, nominal_of
from linkwork.export.fmi.variables import Variable, variables_of
from linkwork.simulation.arguments import checked_duration, checked_tolerance

if TYPE_CHECKING:
    from linkwork.core.model import Model

ATOL = 1e-2
"""Absolute tolerance in natural units, as a share of the relative one."""


@verb
def fmu(
    model: Model,
    file: str | os.PathLike[str],
    *,
    version: str = "3.0",
    formulation: str = "auto",
    duration: float = 10.0,
    rtol: float = 1e-8,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    binary: bool = True,
) -> Path:
    """Write the model as a Functional Mock-up Unit: model exchange and co-simulation in one file; returns its path.

    version: of FMI, "3.0" or "2.0"; formulation: as in `simulate`; duration [s]: for which what changes with time
    (tables, breakpoints) is to be known, and the default experiment; rtol: of the integrator inside, for
    co-simulation, unless the importer says otherwise; parameters, inputs: values other than the defaults (of what
    changes with time, the value at t = 0); binary: compile it for this machine; else the file holds sources alone.
    """
    if not isinstance(version, str) or version not in VERSIONS:
        raise UnknownName("version of FMI", version, list(VERSIONS), component=model.name)
    duration, path = checked_duration(model, duration), Path(file)
    checked_tolerance(model, rtol=rtol)
    if path.suffix.lower() != ".fmu":
        raise LinkworkError("is no name of an FMU.", component=str(path), remedy="Let it end in .fmu.")
    content = content_of(model, formulation, duration, rtol, dict(parameters or {}) or None, inputs)
    begin("writing C sources")
    library = library_sources(version)
    identifier = _identifier(model.name, library)
    token = _token(content, identifier, rtol)
    sources = generated(content, identifier, token, rtol, ATOL * rtol) | library
    described = Description(
        name=model.name,
        identifier=identifier,
        token=token,
        tool="Linkwork",
        note=f"{content.ready.formulation} formulation",
        variables=_variables(content),
        sources=sorted(name for name in sources if name.endswith(".c")),
        duration=duration,
        tolerance=rtol,
    )
    files = {"modelDescription.xml": described.model(version)}
    if version == "3.0":
        files["sources/buildDescription.xml"] = described.build()
    files |= {f"sources/{name}": text.encode() for name, text in sorted(sources.items())}
    if binary:
        begin("compiling C sources")
        place = f"binaries/{platform_folder(version)}/{library_name(identifier)}"
        files[place] = compiled(sources, identifier)
    write_zip(path, files)
    return path


def _variables(content: Content) -> list[Variable]:
    model, eq = content.model, content.equations
    count = len(model.parameters)
    parameters = [
        (name, model.units.get(name, ""), float(x)) for name, x in zip(model.parameters, content.p, strict=False)
    ]
    inputs = [(name, unit, float(content.p[count + k])) for name, unit, k in content.set_inputs]
    channels = [(c.name, c.unit) for c in eq.observation.channels]
    states = zip(eq.states.names, content.ready.state.tolist(), nominal_of(content).tolist(), strict=True)
    return variables_of(parameters, inputs, channels, states, [name for name, _, _ in content.events])


def _token(content: Content, identifier: str, rtol: float) -> str:
    """The same for the same equations, start and tables: importers compare it."""
    texts = generated(content, identifier, "", rtol, ATOL * rtol)
    return f"{{{uuid.uuid5(uuid.NAMESPACE_OID, ''.join(texts.values()))}}}"


def _identifier(name: str, taken: Iterable[str]) -> str:
    """A name in C, and of files beside those that are taken."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "model"
    stems = {file.partition(".")[0].lower() for file in taken} | {"main", "model_data"}
    return word if word[0].isalpha() and word.lower() not in stems else f"model_{word}"
