"""One fuzzed call: a valid call with one argument perturbed, and what became of it."""

from __future__ import annotations

import signal
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwork as lw
from tests.fuzz.scenes import Scene
from tests.fuzz.targets import Target, parameters
from tests.fuzz.values import PLAIN, of_models

PATIENCE = 20
"""Seconds that one call may take; nothing that is asked for here needs a tenth of it."""
FOLLOW_UPS: dict[str, Any] = {
    "check": lambda m: m.check(),
    "simulate": lambda m: m.simulate(0.02, output=0.01),
    "simulate minimal": lambda m: m.simulate(0.02, output=0.01, formulation="minimal"),
    "simulate points": lambda m: m.simulate(0.02, output=0.01, formulation="points"),
    "simulate acausal": lambda m: m.simulate(0.02, output=0.01, formulation="acausal"),
    "linearize": lambda m: m.linearize(),
    "equilibrium": lambda m: m.equilibrium(),
    "kinematics": lambda m: m.kinematics(0.02, output=0.01, drive={"pin.angle": lambda t: t, "rail.slide": 0.0}),
    "evaluate": lambda m: m.evaluate(),
    "bondgraph": lambda m: m.bondgraph(),
    "equations": lambda m: m.equations("absolute").text(),
}


class TooLong(BaseException):
    """The patience is at its end."""


@dataclass(frozen=True)
class Outcome:
    """verdict: "LinkworkError", "TypeError", "accepted", or what must not be: "other", "nan", "hang"."""

    verdict: str
    what: str = ""


@dataclass(frozen=True)
class Call:
    """What is called, which argument is perturbed by what, and what is done with the model afterwards."""

    target: Target
    parameter: str
    label: str
    follow_up: str

    def __str__(self) -> str:
        return f"{self.target.kind} {self.target.label}({self.parameter}={self.label}) then {self.follow_up or '-'}"


def chosen(rng: np.random.Generator, known: list[Target], share: float) -> Call:
    """A random call; share: of those after which the model is used."""
    target = known[int(rng.integers(len(known)))]
    if target.planar not in SIGNATURES:
        SIGNATURES[target.planar] = Scene(target.planar)
    scene = SIGNATURES[target.planar]
    names = [p.name for p in parameters(target, scene)] or [""]
    labels = [*PLAIN, *of_models(scene)]
    used = target.kind == "component" or target.label.startswith(("body.", "coordinate.", "model.", "Model"))
    follow = str(rng.choice([*FOLLOW_UPS])) if used and rng.random() < share else ""
    return Call(target, str(rng.choice(names)), str(rng.choice(labels)), follow)


SIGNATURES: dict[bool, Scene] = {}


SCENES: dict[bool, Scene] = {}
"""Kept as long as calls are refused: what is refused leaves the model as it was."""


def made(call: Call) -> Outcome:
    """Make the call."""
    planar = call.target.planar
    if planar not in SCENES:
        SCENES[planar] = Scene(planar)
    scene = SCENES[planar]
    outcome = _made(call, scene)
    if outcome.verdict not in ("LinkworkError", "TypeError") or call.follow_up:
        SCENES.pop(planar, None)
    return outcome


def _made(call: Call, scene: Scene) -> Outcome:
    """Make it in this scene; what is refused must leave nothing behind."""
    function, values = call.target.find(scene), PLAIN | of_models(scene)
    args, named = call.target.arguments(scene)
    given = values[call.label]()
    order = parameters(call.target, scene)
    for k, p in enumerate(order):
        if p.name != call.parameter:
            continue
        if p.kind is p.VAR_POSITIONAL:
            args = [*args[:k], given, *args[k + 1 :]]
        elif p.kind is p.VAR_KEYWORD:
            named["unheard_of"] = given
        elif k < len(args) and p.kind is not p.KEYWORD_ONLY:
            args[k] = given
        else:
            named[p.name] = given
    before = _names(scene.model)
    outcome = judged(call, scene, function, args, named)
    left = _names(scene.model) - before
    if outcome.verdict in ("LinkworkError", "TypeError") and left and not call.follow_up:
        return Outcome("other", f"refused, but {', '.join(sorted(left))} stayed in the model")
    return outcome


def _names(model: lw.Model) -> set[str]:
    return {*model.components, *model.parameters, *model.inputs}


def judged(call: Call, scene: Scene, function: Any, args: list[Any], named: dict[str, Any]) -> Outcome:
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [function(*args, **named)]
            model = found[0] if isinstance(found[0], lw.Model) else scene.model
            if call.follow_up:
                found.append(FOLLOW_UPS[call.follow_up](model))
        if any(not _finite(x) for x in found):
            return Outcome("nan")
        return Outcome("accepted")
    except lw.LinkworkError as error:
        text = str(error)
        return Outcome("LinkworkError") if text and "Traceback" not in text else Outcome("other", "empty message")
    except TooLong:
        return Outcome("hang")
    except ZeroDivisionError as error:
        own = "function of the user's" in str(error)  # an error of the user's own function comes out as it is
        return Outcome("user's own error") if own else Outcome("other", f"ZeroDivisionError: {error}")
    except RecursionError as error:
        return Outcome("other", f"RecursionError: {error}")
    except TypeError as error:
        names = [p.name for p in parameters(call.target, scene)]
        told = any(n and n in str(error) for n in names) or "argument" in str(error)
        return Outcome("TypeError") if told else Outcome("other", f"TypeError: {error}")
    except Exception as error:
        return Outcome("other", f"{type(error).__name__}: {error}")
    finally:
        signal.alarm(0)


def _finite(found: Any) -> bool:
    """Whether a run that finished holds numbers only."""
    channels = [found[n] for n in found if n != "solver.step"] if isinstance(found, lw.Result) else []
    return bool(np.all(np.isfinite(channels)))


def _stop(*_: Any) -> None:
    raise TooLong
