"""Bond graphs as JSON: elements, bonds, signals and parameters; expressions as CasADi writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from linkwork.bondgraph import elements
from linkwork.bondgraph.constitutive import Expression, written_out
from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import Bond, BondGraph, Port, Signal
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.core.symbol import Symbol
from linkwork.files import checksum
from linkwork.files.atomic import replacing
from linkwork.files.damage import Damaged
from linkwork.geometry import SX

FORMAT = "linkwork bond graph"
KINDS = {cls.__name__: cls for cls in vars(elements).values() if isinstance(cls, type) and issubclass(cls, Element)}
NOTES = ("of_model", "closed", "length", "method")


def save(graph: BondGraph, file: str | os.PathLike[str]) -> None:
    """Write the graph itself, whole or not at all: functions are written out as expressions."""
    path, pool = Path(file), _symbols(graph)
    content: Record = {
        "format": FORMAT,
        "name": graph.name,
        "notes": {word: getattr(graph, word) for word in NOTES},
        "parameters": graph.parameters,
        "inputs": graph.inputs,
        "units": graph.units,
        "signals": [
            {"name": s.name, "unit": s.unit, "rate": _kept(pool, SX(s.rate)), "start": _kept(pool, SX(s.start))}
            for s in graph.signals
        ],
        "elements": [_element(e, pool) for e in graph.elements.values()],
        "bonds": [
            {"name": b.name, "size": b.size, "kind": b.kind, "tail": _end(b.tail), "head": _end(b.head)}
            for b in graph.bonds
        ],
    }
    writer = ca.StringSerializer()
    writer.pack(len(pool))
    for expression in pool:
        writer.pack(expression)
    content["expressions"] = writer.encode()
    content["checksum"] = checksum.of_content(content)
    with replacing(path) as draft:
        draft.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def load(file: str | os.PathLike[str]) -> BondGraph:
    """Read a graph that was saved as JSON."""
    path = Path(file)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(content["format"])
        checksum.compare(content.pop("checksum"), checksum.of_content(content))
        return _read(content)
    except OSError as error:
        raise LinkworkError(f"cannot be read: {error.strerror or error}.", component=str(path)) from error
    except Damaged as error:
        raise LinkworkError(f"is not a whole graph: {error}.", component=str(path), remedy="Save it again.") from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError) as error:
        remedy = "Give a .json file written by BondGraph.save."
        raise LinkworkError("is not a bond graph.", component=str(path), remedy=remedy) from error


def _symbols(graph: BondGraph) -> list[SX]:
    """What expressions are written in, in a fixed order."""
    own = [SX(graph.t), *map(SX, graph.symbols([*graph.parameters, *graph.inputs]))]
    return own + [SX(s.symbol) for s in graph.signals] + [x for b in graph.bonds for x in (b.effort, b.flow)]


def _end(port: Port) -> tuple[str, int]:
    return port.element.name, port.index


def _kept(pool: list[SX], expression: SX) -> dict[str, int]:
    pool.append(expression)
    return {"expression": len(pool) - 1}


def _element(element: Element, pool: list[SX]) -> Record:
    own = {word: _value(element, x, pool) for word, x in vars(element).items() if word != "graph"}
    return {"type": type(element).__name__, **own}


def _value(element: Element, given: Any, pool: list[SX]) -> Any:
    if isinstance(given, SX):
        return _kept(pool, given)
    if callable(given):
        law = given if isinstance(given, Expression) else written_out(given, element.size)
        return {"argument": _kept(pool, law.argument)["expression"], "value": _kept(pool, law.value)["expression"]}
    if isinstance(given, np.ndarray | np.generic):
        return given.tolist()
    if isinstance(given, list | tuple):
        return [_value(element, x, pool) for x in given]
    if given is None or isinstance(given, str | int | float):
        return given
    raise LinkworkError(
        f"{given!r} cannot be written to a file.", component=element.name, remedy="Give numbers, symbols or functions."
    )


def _read(content: Record) -> BondGraph:
    graph = BondGraph(content["name"])
    reader = ca.StringDeserializer(content["expressions"])
    pool = iter([reader.unpack() for _ in range(reader.unpack())])
    graph.t = Symbol(next(pool))
    graph.parameters, graph.inputs, graph.units = content["parameters"], content["inputs"], content["units"]
    graph._symbols = {name: Symbol(next(pool)) for name in (*graph.parameters, *graph.inputs)}
    graph.signals = [Signal(s["name"], next(pool), None, None, s["unit"]) for s in content["signals"]]
    bonded = [(next(pool), next(pool)) for _ in content["bonds"]]
    known = len(graph._symbols) + 1 + len(graph.signals) + 2 * len(bonded)
    rest = dict(enumerate(pool, known))
    for signal, told in zip(graph.signals, content["signals"], strict=True):
        signal.rate, signal.start = (rest[told[word]["expression"]] for word in ("rate", "start"))
    for told in content["elements"]:
        element = Element.__new__(KINDS[told.pop("type")])
        element.__dict__.update({word: _restored(x, rest) for word, x in told.items()})
        graph.elements[element.name], graph._used[element.name], graph._bonds[element.name] = element, set(), []
        object.__setattr__(element, "graph", graph)
    for told, (effort, flow) in zip(content["bonds"], bonded, strict=True):
        tail, head = (Port(graph.elements[name], index) for name, index in (told["tail"], told["head"]))
        bond = Bond(told["name"], tail, head, told["size"], told["kind"])
        bond.effort, bond.flow = effort, flow
        graph.bonds.append(bond)
        for port in (tail, head):
            graph._used[port.element.name].add(port.index)
            graph._bonds[port.element.name].append(bond)
    for word, value in content["notes"].items():
        setattr(graph, word, value)
    return graph


def _restored(value: Any, rest: dict[int, SX]) -> Any:
    if isinstance(value, dict):
        if "argument" in value:
            return Expression(rest[value["argument"]], rest[value["value"]])
        return rest[value["expression"]]
    return [_restored(x, rest) for x in value] if isinstance(value, list) else value


BondGraph.register("load", staticmethod(load))
