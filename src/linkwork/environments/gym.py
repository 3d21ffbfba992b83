"""`lw.gym(m, …)`: a model as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from linkwork.core import kinds
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.kinds import shown
from linkwork.core.model import Model
from linkwork.core.plain_data import Record
from linkwork.core.signal import Inputs
from linkwork.core.words import checked_as_verb
from linkwork.environments.episode import Bounds, Random, episode_of
from linkwork.environments.judging import Judged
from linkwork.integrate.solver import Solver

if TYPE_CHECKING:
    from linkwork.environments.environment import Environment
    from linkwork.environments.vector import VectorEnvironment

AUTORESET = ("next_step", "same_step", "disabled")


@checked_as_verb(
    actions=kinds.mapping.saying("Give {input: (low, high)}."),
    random=kinds.mapping.saying("Give {name: lw.uniform(…)}."),
    inputs=kinds.mapping,
    duration=kinds.positive_number.saying("Give a positive number of seconds."),
    observations=kinds.names,
    count=kinds.count,
    autoreset=kinds.text,
)
def gym(
    model: Model,
    dt: float,
    *,
    actions: Bounds,
    reward: Judged,
    duration: float = 10.0,
    observations: Sequence[str] | None = None,
    terminated: Judged = 0.0,
    random: Random | None = None,
    count: int | None = None,
    autoreset: str = "next_step",
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    formulation: str = "auto",
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
) -> Environment | VectorEnvironment:
    """The model as an environment of Gymnasium, in steps of `dt` seconds; it begins where the model does.

    actions: {input: (low, high)}, held over a step; what is beyond the bounds is taken as the bound;
    reward, terminated: after each step, a text of channels, inputs, parameters and t ("1 - pin.angle**2",
    "fabs(pin.angle) > 0.2"), or a function of them by name (`lambda c: c["pin.angle"] ** 2`); events of the model that
    stop a run terminate it, too;
    duration [s]: after which an episode is truncated; observations: channels (default: joint coordinates and rates);
    random: {parameter, input, or start of a coordinate or rate: lw.uniform(…) or another distribution, or (low, high)},
    drawn at every reset;
    count: that many copies at once, as a gymnasium.vector.VectorEnv, side by side in the vector lanes of the processor,
    or where a model cannot be run so (contacts, sampling, stiff equations), one after the other: `env.engine` tells;
    functions are then given arrays, one number per copy; autoreset: "next_step", "same_step" or "disabled", as
    Gymnasium defines them;
    parameters, inputs, formulation, solver, rtol, atol, step: as for `m.stepper`, but formulation="auto".
    """
    _check(model, autoreset)
    options: Record = {
        "formulation": formulation, "solver": solver, "rtol": rtol, "atol": atol, "step": step,
    }  # fmt: skip
    episode = episode_of(
        model, dt, duration, observations, actions, reward, terminated, random or {}, parameters or {}, inputs or {},
        options,
    )  # fmt: skip
    try:
        from linkwork.environments.environment import Environment
        from linkwork.environments.vector import VectorEnvironment
    except ImportError:
        raise LinkworkError(
            "Gymnasium is needed for this and is not installed.",
            component=model.name,
            remedy="pip install 'linkwork[gym]'",
        ) from None
    return Environment(episode) if count is None else VectorEnvironment(episode, count, autoreset)


def _check(model: object, autoreset: str) -> None:
    if not isinstance(model, Model):
        raise ModelError(f"lw.gym of {shown(model)}.", remedy="Give a model: lw.gym(m, 0.02, …).")
    if autoreset not in AUTORESET:
        raise UnknownName("way to reset", autoreset, AUTORESET, component=model.name)
