"""Methods that layers above bring along: `m.revolute(…)` adds a component, `m.simulate(…)` is a verb, `r.plot()` draws.

Editors and type checkers read `face.pyi`, which `python -m linkwork.core.stub` writes from the same declarations.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

from linkwork.core import places
from linkwork.core.errors import UnknownName
from linkwork.core.late import promise


class Parts:
    """The methods of a model, and of a submodel, that components bring along when they are registered."""

    name: str

    def naming(self) -> AbstractContextManager[None]:
        """In which the names of components that are made are completed."""
        return nullcontext()


class Face(Parts):
    """The methods of a model that components and verbs bring along."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not self.__dict__:  # a copy that is being made knows nothing yet
            raise AttributeError(name)
        known = [word for word in (*vars(Parts), *vars(Face)) if not word.startswith("_")]
        raise AttributeError(str(UnknownName("component or verb", name, known, component=f"Model {self.name!r}")))


class Extended:
    """What takes methods for drawing, writing and running from layers above."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        promise(cls, places.METHODS.get(cls.__name__, {}))

    @classmethod
    def register(cls, name: str, function: Callable[..., object]) -> None:
        """Attach `function(self, …)` (or a staticmethod) as the method `name`, seen by `dir` and `help`."""
        setattr(cls, name, function)


class BondGraphFace(Extended):
    """Methods of bond graphs that come from above."""


class BondTableFace(Extended):
    """Methods of bond tables that come from above."""


class ComparisonFace(Extended):
    """Methods of comparisons that come from above."""


class FitFace(Extended):
    """Methods of fits that come from above."""


class LinearizationFace(Extended):
    """Methods of linearisations that come from above."""


class ModelFace(Extended):
    """What a notebook asks of models, from above."""


class ResultFace(Extended):
    """Methods of results that come from above."""


class RootLocusFace(Extended):
    """Methods of root loci that come from above."""


class TransferFunctionFace(Extended):
    """Methods of transfer functions that come from above."""
