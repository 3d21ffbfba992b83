"""Writes `face.pyi`, what editors and type checkers know of a model: `python -m linkwork.core.stub`.

Signatures and docstrings are those of the components and verbs themselves; a test tells when the file is out of date.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent, wrap
from typing import get_overloads, overload

from linkwork.core import declarations, registry
from linkwork.core.face import Extended
from linkwork.core.methods import described, documentation, signature_of
from linkwork.core.spelling import Speller

FILE = Path(__file__).with_name("face.pyi")
WIDTH = 112
HEAD = '"""What a model can hold and do. Written by `python -m linkwork.core.stub`: change the declarations."""\n\n'


def text() -> str:
    """The stub of all components and verbs that come with the library."""
    declarations.load_all()
    spelled = Speller()
    own = {word: cls for word, cls in registry.components.items() if cls.__module__.startswith("linkwork.")}
    ground = spelled(own.pop("ground"))
    made = [_method(word, signature_of(cls, spelled), documentation(cls)) for word, cls in own.items()]
    for call in registry.verbs.values():
        _known_to_type_checkers(call)
    verbs = [text for word, call in registry.verbs.items() for text in _verb(word, call, spelled)]
    others = [_brought(face, spelled) for face in Extended.__subclasses__()]
    needed: dict[str, list[str]] = {}
    for module, said in sorted(spelled.imports()):
        needed.setdefault(module, []).append(said)
    imports = "".join(f"from {module} import {', '.join(names)}\n" for module, names in needed.items())
    parts = f"class Parts:\n    name: str\n    ground: {ground}\n\n" + "\n".join(made)
    model = "class Face(Parts):\n" + "\n".join(verbs)
    register = vars(Extended)["register"].__func__
    plain = _method("register", described(register, Speller()), register.__doc__, "classmethod")
    extended = f"class Extended:\n{plain}"
    return f"{HEAD}{imports}\n" + "\n".join([parts, model, extended, *others])


def _verb(word: str, call: Callable[..., object], spelled: Speller) -> Iterator[str]:
    """A verb, or its overloads; what these leave open (`**options`) are the keywords of the verb itself."""
    doc, whole = inspect.getdoc(call) or "", described(call, spelled)
    options = [p for p in whole.parameters.values() if p.kind is p.KEYWORD_ONLY]
    for case in get_overloads(inspect.unwrap(call)):
        signature = described(case, spelled)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        spelled(overload)
        yield _method(word, signature.replace(parameters=[*own, *options]), doc, "overload")
    if not get_overloads(inspect.unwrap(call)):
        yield _method(word, whole, doc)


def _brought(face: type[Extended], spelled: Speller) -> str:
    """A class and what the layers above have registered for what is derived from it."""
    (cls,) = face.__subclasses__()
    methods = []
    for word, held in vars(cls).items():
        static = isinstance(held, staticmethod)
        call = held.__func__ if static else held
        if inspect.isfunction(call) and call.__module__ != cls.__module__:
            _known_to_type_checkers(call)
            signature = described(call, spelled, bound=not static)
            methods.append(_method(word, signature, inspect.getdoc(call) or "", "staticmethod" if static else ""))
    return f"class {face.__name__}(Extended):\n" + "\n".join(methods)


def _known_to_type_checkers(call: Callable[..., object]) -> None:
    """Run the imports that a module only has for type checkers, so that its types can be spelled."""
    module = inspect.getmodule(inspect.unwrap(call))
    assert module is not None
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module.__name__, "exec"), vars(module))


def _method(word: str, signature: inspect.Signature, doc: str, decorator: str = "") -> str:
    lines = [line for part in doc.splitlines() for line in (wrap(part, WIDTH, subsequent_indent="    ") or [""])]
    body = "\n".join(lines) if len(lines) == 1 else "\n".join([*lines, ""])
    arguments = ",\n        ".join(_arguments(signature))
    above = f"    @{decorator}\n" if decorator else ""
    return (
        f"{above}    def {word}(\n        {arguments},\n    ) -> {signature.return_annotation}:\n"
        + indent(f'"""{body}"""', "        ")
        + "\n        ...\n"
    )


def _arguments(signature: inspect.Signature) -> list[str]:
    """As in a definition: `*` where keywords begin."""
    arguments: list[str] = []
    starred = False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            arguments.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        arguments.append(str(p))
    return arguments


def main() -> None:
    declarations.FILE.write_text(declarations.text(), encoding="utf-8")
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
