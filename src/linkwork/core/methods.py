"""Components as methods of a model, with the signature and the documentation that their constructors declare."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cached_property
from inspect import Parameter, Signature
from types import MethodType
from typing import TYPE_CHECKING, Any

from linkwork.core import kinds
from linkwork.core.component import Component
from linkwork.core.declared import arguments_of, evaluated
from linkwork.core.errors import ModelError
from linkwork.core.interrupts import listening
from linkwork.core.spelling import Speller

if TYPE_CHECKING:
    from linkwork.core.model import Model


class Brought:
    """`m.revolute`: makes a component and adds it to the model."""

    def __init__(self, word: str, cls: type[Component]):
        self.word, self.cls = word, cls

    @cached_property
    def method(self) -> Callable[..., Component]:
        word, cls = self.word, self.cls
        signature = signature_of(cls, Speller())

        def build(self: Any, name: str, *args: object, **options: object) -> Component:
            try:
                with self.naming():
                    made = cls(name, *args, **options)
            except TypeError as error:  # a missing, unknown or impossible argument
                raise ModelError(
                    re.sub(r"\w+\.__init__\(\)", f"m.{word}", f"{error}."),
                    component=kinds.said(name),
                    remedy=f"It is m.{word}({', '.join(map(str, list(signature.parameters.values())[1:]))}).",
                ) from error
            with self.naming():
                added: Component = self.add(made)
            return added

        build.__name__, build.__qualname__, build.__doc__ = word, f"Model.{word}", documentation(cls)
        build.__signature__ = signature  # type: ignore[attr-defined]
        return listening(build)

    def __get__(self, model: Model, owner: type | None = None) -> Any:
        return self.method if model is None else MethodType(self.method, model)


def signature_of(cls: type[Component], spelled: Speller) -> Signature:
    """How a component is added: its constructor, with plain types."""
    return described(cls.__init__, spelled).replace(return_annotation=spelled(cls))


def described(call: Callable[..., object], spelled: Speller, *, bound: bool = True) -> Signature:
    """The signature of a method or verb with plain types; bound: its first argument is `self`."""
    signature = inspect.signature(call)
    hints = {a.name: a.hint for a in arguments_of(call).values()}
    skipped = 1 if bound else 0
    given = [p.replace(annotation=spelled(hints[p.name])) for p in list(signature.parameters.values())[skipped:]]
    returned = evaluated(signature.return_annotation, inspect.unwrap(call))
    first = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)] * skipped
    return Signature([*first, *given], return_annotation=spelled(returned))


def documentation(cls: type[Component]) -> str:
    """The docstring of a component with a line for each of its arguments."""
    said = [str(a) for a in arguments_of(cls.__init__).values() if a.meaning]
    return "\n\n".join(filter(None, (inspect.getdoc(cls), "\n".join(said), "\n".join(cls.notes()))))
