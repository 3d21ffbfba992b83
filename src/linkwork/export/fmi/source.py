"""The generated C of an FMU: the functions of the model, and the tables by which the runtime finds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.core.pieces import Lookup
from linkwork.export.c_source import Tables, c_sources
from linkwork.export.fmi.contacts import tables
from linkwork.export.fmi.content import Content

_SIGNATURE = "(const double *const *arg, double *const *res, double *work)"


def generated(content: Content, prefix: str, token: str, rtol: float, atol: float) -> dict[str, str]:
    """{file name: text}: header and source of the equations, and `model_data.c`; prefix: of the names in C."""
    texts = c_sources(prefix, _tables(content), content.routines)
    del texts["main.c"]
    return texts | {"model_data.c": _data(content, prefix, token, rtol, atol)}


def nominal_of(content: Content) -> np.ndarray:
    """Sizes by which an importer judges errors: natural units; of first-order states, at least where they start."""
    layout, scale = content.program.layout, content.scale.copy()
    z = slice(layout.q + layout.v, None)
    scale[z] = np.maximum(scale[z], np.abs(content.ready.state[z]))
    return scale


def _tables(content: Content) -> Tables:
    model, eq = content.model, content.equations
    names = [*model.parameters, *content.program.inputs]
    channels = [(c.name, c.unit) for c in eq.observation.channels]
    layout = eq.layout
    sizes = {"STATES": layout.y, "PARAMETERS": len(names), "CHANNELS": len(channels)}
    title = f"{model.name}: equations of motion, {content.ready.formulation} formulation; SI units, angles in rad."
    parameters = [(name, model.units.get(name, "")) for name in names]
    return Tables(title, sizes, eq.states.names, parameters, channels, content.ready.state, content.p)


def _data(content: Content, prefix: str, token: str, rtol: float, atol: float) -> str:
    eq, program, layout = content.equations, content.program, content.program.layout
    weighted = np.ones(layout.y, dtype=int)
    weighted[: program.unweighted.size] -= np.asarray(program.unweighted, dtype=int)
    suffixes = [routine.suffix for routine in content.routines]
    lines = ['#include "model.h"', f'#include "{prefix}.h"', "", "#include <math.h>", ""]
    lines += [_array("double", "unit", content.scale), _array("double", "nominal", nominal_of(content))]
    lines += [_array("uint8_t", "weighted", weighted)]
    lines += [_array("int32_t", "set_inputs", [k for _, _, k in content.set_inputs])]
    lines += [_array("int32_t", "event_direction", [d for _, d, _ in content.events])]
    lines += [_array("int32_t", "event_action", [a for _, _, a in content.events])]
    lines += [_array("double", "stops", content.stops.ravel())]
    lines += _lookups(content.lookups)
    lines += [_adapter(prefix, r.suffix, len(r.arguments), len(r.results)) for r in content.routines]
    lines += _samplers(content)
    pattern = content.pattern
    parts = zip(pattern._fields, pattern, strict=True)
    lines += [_array("int32_t", f"pattern_{name}", part) for name, part in parts]
    fields = _fields(content, suffixes)
    if content.contacts is not None:
        more, own = tables(content.contacts)
        lines, fields = lines + more, fields | own
    fields |= {"name": _quoted(prefix), "token": _quoted(token), "rtol": repr(rtol), "atol": repr(atol)}
    fields |= {"channels": len(eq.observation.outputs), "start": f"{prefix}_start", "p": f"{prefix}_parameters"}
    arrays = ", ".join(f"pattern_{name}" for name in pattern._fields)
    fields["pattern"] = f"{{{len(pattern.order)}, {len(pattern.place)}, {arrays}}}"
    lines += ["const fmu_model fmu_model_data = {", *(f"    .{key} = {value}," for key, value in fields.items()), "};"]
    return "\n".join([*lines, ""])


def _fields(content: Content, suffixes: list[str]) -> dict[str, object]:
    """Of the table that the runtime reads; what is not among them is zero."""
    program, layout = content.program, content.program.layout
    named = {"event_values": "events", "event_tangent": "events_tangent"}
    functions = {
        name: suffix for name, suffix in ((x, x) for x in suffixes) if not suffix.startswith(("events", "sample_"))
    }
    functions |= {name: suffix for name, suffix in named.items() if suffix in suffixes}
    return {
        "q": layout.q, "v": layout.v, "z": layout.z, "multipliers": layout.multipliers,
        "parameters": len(program.parameters), "inputs": len(program.inputs),
        "set_count": len(content.set_inputs), "set": "set_inputs",
        "events": len(content.events), "margin_count": len(program.margins),
        "unit": "unit", "nominal": "nominal", "weighted": "weighted",
        "event_direction": "event_direction", "event_action": "event_action",
        "signals": "signals", "signals_count": len(content.lookups),
        "stops": "stops", "stops_count": len(content.stops), "horizon": _number(content.horizon),
        "samplers": "samplers", "samplers_count": len(content.samplers),
        "implicit": int(content.implicit),
        "constrained": int(program.constrained), "settling": int(program.settling),
        "max_step": _number(content.max_step),
        **{name: f"call_{suffix}" for name, suffix in functions.items()},
    }  # fmt: skip


def _adapter(prefix: str, suffix: str, arguments: int, results: int) -> str:
    """The function as the integrators call it."""
    given = ["arg[0][0]", *(f"arg[{k + 1}]" for k in range(arguments)), *(f"res[{k}]" for k in range(results))]
    return "\n".join(
        [
            f"static void call_{suffix}{_SIGNATURE}",
            "{",
            "    (void)work;",
            f"    {prefix}_{suffix}({', '.join(given)});",
            "}",
            "",
        ]
    )


def _lookups(lookups: dict[int, Lookup]) -> list[str]:
    lines, rows = [], []
    for n, (number, lookup) in enumerate(lookups.items()):
        pieces = lookup.pieces
        lines.append(_array("double", f"times_{n}", pieces.times))
        lines.append(_array("double", f"coefficients_{n}", pieces.coefficients.ravel()))
        sizes = f"{number}, {pieces.times.size}, {pieces.coefficients.shape[1]}"
        numbers = ", ".join(_number(x) for x in (lookup.scale, lookup.shift, pieces.period))
        rows.append(f"    {{{sizes}, {numbers}, times_{n}, coefficients_{n}}},")
    rows = rows or ["    {0, 0, 0, 0.0, 0.0, 0.0, 0, 0},"]
    return [*lines, "static const lw_signal signals[] = {", *rows, "};", ""]


def _samplers(content: Content) -> list[str]:
    lines, rows = [], []
    for s in content.samplers:
        lines.append(_array("int32_t", f"{s.routine}_states", s.states))
        row = f"{_number(s.offset)}, {_number(s.period)}, {len(s.states)}, {s.routine}_states, call_{s.routine}"
        rows.append(f"    {{{row}}},")
    return [*lines, "static const fmu_sampler samplers[] = {", *(rows or ["    {0.0, 1.0, 0, 0, 0},"]), "};", ""]


def _array(kind: str, name: str, values: Sequence[float] | np.ndarray) -> str:
    write = _number if kind == "double" else lambda x: str(int(x))
    texts = [write(x) for x in values] or [write(0.0)]
    rows = [", ".join(texts[k : k + 8]) for k in range(0, len(texts), 8)]
    return "\n".join([f"static const {kind} {name}[] = {{", *(f"    {row}," for row in rows), "};", ""])


def _number(value: float) -> str:
    return "INFINITY" if value == np.inf else repr(float(value))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
