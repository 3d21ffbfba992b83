"""`linkwork gallery`: a page of the examples."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.text import Text

from linkwork.bondgraph.graph import BondGraph
from linkwork.cli.guard import DONE
from linkwork.cli.models import example_names, example_title, find
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.studio.gallery import exhibit, write_index


def gallery(folder: Path, names: Sequence[str], *, quiet: bool) -> int:
    """Run the examples called `names` (all, if none is) and write their page into a folder."""
    known = example_names()
    for name in names:
        if name not in known:
            raise UnknownName("example", name, known)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LinkworkError(
            f"cannot be made: {error.strerror or error}.", component=str(folder), remedy="Choose another folder."
        ) from error
    made = []
    for name in names or known:
        case = find(name, graphs=True)
        assert case.duration is not None  # examples have one
        result = case.model.simulate(case.duration, parameters=case.parameters)
        result.record["show"] = list(case.show)
        module = import_module(f"linkwork.examples.{name.replace('-', '_')}")
        graph = case.model if isinstance(case.model, BondGraph) else None
        made.append(exhibit(folder, name, example_title(name), inspect.getsource(module), result, graph))
        if not quiet:
            Console(stderr=True).print(name, style="dim")
    path = write_index(folder, made)
    if not quiet:
        Console().print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)
    return DONE
