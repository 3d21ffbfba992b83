"""Writes `face.pyi`, what editors and type checkers know of a model: `python -m linkwork.core.stub`.

Signatures and docstrings are those of the components and verbs themselves; a test tells when the file is out of date.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import indent, wrap

from linkwork.core import registry
from linkwork.core.face import described, documentation, signature_of
from linkwork.core.spelling import Speller

FILE = Path(__file__).with_name("face.pyi")
WIDTH = 112
HEAD = '"""What a model can hold and do. Written by `python -m linkwork.core.stub`: change the declarations."""\n\n'


def text() -> str:
    """The stub of all components and verbs that come with the library."""
    spelled = Speller()
    own = {word: cls for word, cls in registry.components.items() if cls.__module__.startswith("linkwork.")}
    del own["ground"]
    made = [_method(word, signature_of(cls, spelled), documentation(cls)) for word, cls in own.items()]
    verbs = [_method(w, described(call, spelled), inspect.getdoc(call) or "") for w, call in registry.verbs.items()]
    needed: dict[str, list[str]] = {}
    for module, said in sorted(spelled.imports()):
        needed.setdefault(module, []).append(said)
    imports = "".join(f"from {module} import {', '.join(names)}\n" for module, names in needed.items())
    return f"{HEAD}{imports}\nclass Face:\n    name: str\n\n" + "\n".join([*made, *verbs])


def _method(word: str, signature: inspect.Signature, doc: str) -> str:
    lines = [line for part in doc.splitlines() for line in (wrap(part, WIDTH, subsequent_indent="    ") or [""])]
    body = "\n".join(lines) if len(lines) == 1 else "\n".join([*lines, ""])
    arguments = ",\n        ".join(_arguments(signature))
    return (
        f"    def {word}(\n        {arguments},\n    ) -> {signature.return_annotation}:\n"
        + indent(f'"""{body}"""', "        ")
        + "\n        ...\n"
    )


def _arguments(signature: inspect.Signature) -> list[str]:
    """As in a definition: `*` where keywords begin."""
    found: list[str] = []
    starred = False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            found.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        found.append(str(p))
    return found


def main() -> None:
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
