"""Component kind → symbol.

To add a symbol: 1. a function `(stage, name, data)` that puts nodes on the stage, decorated with
`@symbol("MyComponent")`; 2. `planar=True` or `False` where plane and space need different ones. `data` is the
component's entry in a Result's description: "first" and "second" frames of a joint, "frames" and "numbers" of other
parts. A class without a symbol of its own takes that of the class it derives from.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwork.core.plain_data import Data
from linkwork.studio.stage import Stage

Draw = Callable[[Stage, str, Data], None]
_symbols: dict[tuple[str, bool], Draw] = {}


def symbol(*kinds: str, planar: bool | None = None) -> Callable[[Draw], Draw]:
    """Draw components of these classes (by name) so; planar: in planar or spatial models only, None: in both."""

    def register(draw: Draw) -> Draw:
        for kind in kinds:
            for flat in (True, False) if planar is None else (planar,):
                _symbols[kind, flat] = draw
        return draw

    return register


def draw_joint(stage: Stage, name: str, joint: Data) -> None:
    """Whatever joint it is: one that nobody has drawn yet gets the plain symbol of "Joint"."""
    if stage.motion.knows(joint["first"], joint["second"]):
        with stage.sized_for(joint["first"], joint["second"]):
            _draw(stage, name, joint)


def draw_part(stage: Stage, name: str, part: Data) -> None:
    """Elements, contacts, points; those without a symbol are not seen."""
    if stage.motion.knows(*part["frames"].values()):
        with stage.sized_for(*part["frames"].values()):
            _draw(stage, name, part)


def _draw(stage: Stage, name: str, data: Data) -> None:
    for kind in data["kinds"]:
        if (kind, stage.planar) in _symbols:
            return _symbols[kind, stage.planar](stage, name, data)
