"""Trees → numbers, expressions and parts of a model. A `Scope` says what names, attributes and functions mean."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import casadi as ca

from linkwork.core.errors import LinkworkError
from linkwork.core.kinds import shown
from linkwork.files.language import nodes
from linkwork.files.language.operations import FUNCTIONS, OPERATORS
from linkwork.files.language.parser import ExpressionError
from linkwork.geometry import SX

CALL_LIMIT = 100
"""Functions of a file that may call each other."""


class Scope(Protocol):
    """What a text may speak of."""

    def name(self, name: str, quoted: bool) -> Any:
        """What a name means; LinkworkError if it means nothing."""

    def attribute(self, of: Any, name: str) -> Any:
        """A part of something."""

    def function(self, name: str) -> Callable[..., Any] | None:
        """A function of this name beside those of numbers; None: there is none."""

    def called(self, of: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """What something is at its arguments, such as a table at a time or a frame at a place."""


class Written:
    """A function that stands in a file: called with symbols, it gives an expression."""

    def __init__(self, node: nodes.Function, scope: Scope, known: Mapping[str, Any], fail: Callable[..., Exception]):
        self._node, self._scope, self._known, self._fail = node, scope, dict(known), fail
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in dict.fromkeys(node.names)])

    def __call__(self, *args: Any, **named: Any) -> Any:
        bound = self.__signature__.bind(*args, **named)
        try:
            return evaluate(self._node.body, self._scope, self._known | bound.arguments, self._fail)
        except ExpressionError as error:
            raise self._fail(error) from None

    def verify(self) -> None:
        """Have every name looked up, so that a wrong one is told at once."""
        verify(self._node.body, self._scope, {*self._known, *self._node.names})


def verify(node: nodes.Node, scope: Scope, local: set[str]) -> None:
    """Look up the names that a function uses."""
    stack = [node]
    while stack:
        x = stack.pop()
        if isinstance(x, nodes.Name):
            if x.quoted or x.name not in local:
                _known(scope.name, x, x.name, x.quoted)
        elif isinstance(x, nodes.Call):
            plain = isinstance(x.of, nodes.Name) and not x.of.quoted and x.of.name not in local
            if not (plain and (x.of.name in FUNCTIONS or scope.function(x.of.name) is not None)):  # type: ignore[union-attr]
                stack.append(x.of)
            stack += [*x.arguments, *(value for _, value in x.named)]
        elif isinstance(x, nodes.Function):
            verify(x.body, scope, {*local, *x.names})
        elif isinstance(x, nodes.Block):
            inner = set(local)
            for name, value in x.values:
                verify(value, scope, inner)
                inner.add(name)
            verify(x.body, scope, inner)
        else:
            stack += _inside(x)


def _inside(x: nodes.Node) -> list[nodes.Node]:
    if isinstance(x, nodes.Attribute | nodes.Index):
        return [x.of]
    if isinstance(x, nodes.Unary):
        return [x.x]
    if isinstance(x, nodes.Chain):
        return [x.first, *(y for _, y in x.rest)]
    return list(x.items) if isinstance(x, nodes.List) else []


def evaluate(node: nodes.Node, scope: Scope, known: Mapping[str, Any], fail: Callable[..., Exception]) -> Any:
    """What a tree is worth; known: names that it has given itself; fail: makes the error of a function called later."""
    if isinstance(node, nodes.Block):
        local = dict(known)
        for name, value in node.values:
            local[name] = evaluate(value, scope, local, fail)
        return evaluate(node.body, scope, local, fail)
    if isinstance(node, nodes.Literal):
        return node.value
    if isinstance(node, nodes.Name):
        if not node.quoted and node.name in known:
            return known[node.name]
        return _known(scope.name, node, node.name, node.quoted)
    if isinstance(node, nodes.List):
        return [evaluate(item, scope, known, fail) for item in node.items]
    if isinstance(node, nodes.Function):
        return Written(node, scope, known, fail)
    if isinstance(node, nodes.Attribute):
        return _known(scope.attribute, node, evaluate(node.of, scope, known, fail), node.name)
    if isinstance(node, nodes.Index):
        return _element(evaluate(node.of, scope, known, fail), node)
    if isinstance(node, nodes.Call):
        return _called(node, scope, known, fail)
    if isinstance(node, nodes.Unary):
        x = _operand(evaluate(node.x, scope, known, fail), node)
        return _computed(node, lambda: ca.logic_not(x) if node.operator == "not" else -x)
    value = evaluate(node.first, scope, known, fail)
    for operator, other in node.rest:
        a, b = _operand(value, node.first), _operand(evaluate(other, scope, known, fail), other)
        value = _computed(node, partial(OPERATORS[operator], a, b))
    return value


def _called(node: nodes.Call, scope: Scope, known: Mapping[str, Any], fail: Callable[..., Exception]) -> Any:
    arguments = [evaluate(x, scope, known, fail) for x in node.arguments]
    named = {word: evaluate(x, scope, known, fail) for word, x in node.named}
    of = node.of
    if isinstance(of, nodes.Name) and not of.quoted and of.name not in known:
        if of.name in FUNCTIONS and not named:
            operands = [_operand(x, node) for x in arguments]
            return _computed(node, lambda: FUNCTIONS[of.name](*operands))
        made = scope.function(of.name)
        if made is not None:
            return _known(made, node, *arguments, **named)
    if isinstance(of, nodes.Attribute) and isinstance(of.of, nodes.Name) and of.of.name not in known:
        made = scope.function(f"{of.of.name}.{of.name}")
        if made is not None:
            return _known(made, node, *arguments, **named)
        return _known(scope.called, node, (evaluate(of.of, scope, known, fail), of.name), arguments, named)
    return _known(scope.called, node, (evaluate(of, scope, known, fail), ""), arguments, named)


def _known(ask: Callable[..., Any], node: nodes.Node, *args: Any, **named: Any) -> Any:
    """What the scope says; what it refuses is told with its place."""
    try:
        return ask(*args, **named)
    except LinkworkError as error:
        name = f"{error.component}: " if error.component else ""
        raise ExpressionError(f"{name}{error.cause}", node.at, error.remedy) from None
    except ExpressionError:
        raise
    except (TypeError, ValueError, RuntimeError, NotImplementedError, ArithmeticError, SystemError) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise ExpressionError(f"{said}.", node.at) from None


def _operand(x: Any, node: nodes.Node) -> Any:
    """A number or an expression; whole numbers are computed with as all others are."""
    if isinstance(x, SX):
        return x
    if isinstance(x, int | float):
        return float(x)
    raise ExpressionError(f"{shown(x)} is no number.", node.at, "Name what you mean of it, such as `.symbol`.")


def _computed(node: nodes.Node, compute: Callable[[], Any]) -> Any:
    try:
        value = compute()
    except (ArithmeticError, ValueError):
        raise ExpressionError("it has no finite value.", node.at) from None
    except (TypeError, RuntimeError, NotImplementedError) as error:
        raise ExpressionError("its parts do not fit together.", node.at) from error
    if isinstance(value, ca.DM):
        value = float(value)
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        raise ExpressionError("it has no finite value.", node.at)
    return float(value) if isinstance(value, bool) else value


def _element(x: Any, node: nodes.Index) -> Any:
    size = x.numel() if isinstance(x, SX) else len(x) if isinstance(x, list) else 0
    if node.place >= size:
        raise ExpressionError(f"there is no element {node.place} of {shown(x)}.", node.at)
    return x[node.place]
