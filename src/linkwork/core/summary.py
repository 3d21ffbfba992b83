"""The short account of a run: what was run, how, how long it took and how well it held."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.core.units import seconds

if TYPE_CHECKING:
    from linkwork.core.result import Result


def facts(result: Result) -> dict[str, str]:
    """{what: text}; a fact that the record or the channels do not hold is left out."""
    record = result.record
    timings, statistics = record.get("timings", {}), record.get("statistics", {})
    status = record.get("status", "finished")
    lines = {
        "model": record.get("model", ""),
        "status": "" if status == "finished" else status,
        "time": f"{result.t[0]:g} … {result.t[-1]:g} s" if result.t.size else "none",
        "samples": str(result.t.size),
        "channels": str(len(result)),
        "formulation": _text(record.get("formulation")),
        "why this formulation": _reason(record, "formulation_reason"),
        "solver": _solver(record),
        "why this solver": _reason(record, "solver_reason"),
        "steps": _steps(statistics),
        **{f"{what} time": seconds(timings[what]) for what in ("derive", "compile", "run") if what in timings},
        "energy drift": _with_unit(_drift(result), "J"),
        "energy at work": "" if _drift(result) is None else _with_unit(_moved(result), "J"),
        "position residual": _residual(result, "residual.position"),
        "velocity residual": _residual(result, "residual.velocity"),
        "reactions not unique": ", ".join(record.get("undetermined reactions", [])),
        "starts overruled": ", ".join(
            f"{name} = {', '.join(f'{x:.4g}' for x in values)}"
            for name, values in record.get("starts that follow others", {}).items()
        ),
        "events": str(len(result.events)) if result.events else "",
        "digits verified": ", ".join(f"{group} {n:.1f}" for group, n in _verified(record).items()),
        "warnings": str(len(record["warnings"])) if record.get("warnings") else "",
    }
    return {what: text for what, text in lines.items() if text}


def energy_drift(channels: Mapping[str, np.ndarray]) -> float | None:
    """Largest change of total + dissipated − supplied energy since the start [J]: zero for an exact run."""
    if "energy.total" not in channels:
        return None
    balance = np.array(channels["energy.total"])
    if "energy.dissipated" in channels:
        balance += channels["energy.dissipated"]
    if "energy.supplied" in channels:
        balance -= channels["energy.supplied"]
    return float(np.max(np.abs(balance - balance[0]))) if balance.size else None


def _drift(result: Result) -> float | None:
    """None where a part of the balance was left out: what remains changes for good reasons."""
    parts = ("energy.total", "energy.dissipated", "energy.supplied")
    return None if set(parts) & set(result.record.get("left out", ())) else energy_drift(result)


def _moved(result: Result) -> float | None:
    """Largest change of an energy in the run [J]: what a drift is to be measured against."""
    names = [n for n in ("energy.kinetic", "energy.potential", "energy.dissipated", "energy.supplied") if n in result]
    return max((float(np.ptp(result[n])) for n in names if result[n].size), default=None)


def _verified(record: Data) -> Mapping[str, float]:
    digits: Mapping[str, float] = record.get("verification", {}).get("digits", {})
    return digits


def largest(channels: Mapping[str, np.ndarray], name: str) -> float | None:
    """Largest absolute value of a channel, or None where there is no such channel or no sample."""
    if name not in channels or not channels[name].size:
        return None
    return float(np.max(np.abs(channels[name])))


def as_text(result: Result) -> str:
    """A heading and one aligned line per fact."""
    lines = facts(result)
    heading = f"Result {lines.pop('model')!r}" if "model" in lines else "Result"
    width = max(map(len, lines))
    return "\n".join([heading, *(f"  {what:<{width}}  {text}" for what, text in lines.items())])


def as_html(result: Result) -> str:
    """The same as an HTML table, for notebooks."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(what)}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for what, text in facts(result).items()
    )
    return f"<table>{rows}</table>"


def _solver(record: Data) -> str:
    tolerances = [f"{name} {record[name]:g}" for name in ("rtol", "atol") if isinstance(record.get(name), int | float)]
    return ", ".join([_text(record.get("solver")), *tolerances]) if record.get("solver") else ""


def _reason(record: Data, key: str) -> str:
    """Of an automatic choice; what the user asked for needs no reason."""
    reason = _text(record.get(key))
    return "" if reason == "It was asked for." else reason


def _steps(statistics: Data) -> str:
    if "accepted" not in statistics:
        return ""
    rejected = statistics.get("rejected")
    return f"{statistics['accepted']}" + (f", {rejected} more rejected" if rejected else "")


def _residual(result: Result, name: str) -> str:
    return _with_unit(largest(result, name), result.unit(name)) if name in result else ""


def _with_unit(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.2g} {unit}".rstrip()


def _text(value: object) -> str:
    return "" if value is None else str(value)
