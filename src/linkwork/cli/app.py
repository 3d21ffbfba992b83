"""The commands and their options. What each one does is in the module of its name, imported when it is asked for.

The parser is the standard library's: the richer ones take up to 0.2 s of every command to start, and a run takes less.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkwork.cli.startup import short_lived


def entry() -> int:
    """The installed command: `main` in a process of its own."""
    with short_lived():
        return main()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in `words` (those of the command line unless given) and return its exit code."""
    chosen = parser().parse_args(words)
    from linkwork.cli.guard import guarded

    return guarded(lambda: int(chosen.command(chosen)), debug=chosen.debug)


def parser() -> ArgumentParser:
    """The whole command line."""
    whole = ArgumentParser(
        prog="linkwork", description="Multibody dynamics: describe a mechanism once, run it in any formulation."
    )
    whole.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = whole.add_subparsers(metavar="COMMAND", required=True)
    for name, add, command in (
        ("examples", _add_examples, _examples),
        ("check", _add_check, _check),
        ("run", _add_run, _run),
        ("compare", _add_compare, _compare),
    ):
        text = command.__doc__ or ""
        one = commands.add_parser(name, help=text[0].lower() + text[1:].rstrip("."), description=text)
        one.add_argument("--debug", action="store_true", help="show the traceback of an error")
        one.set_defaults(command=command)
        add(one)
    return whole


def _add_examples(one: ArgumentParser) -> None:
    one.add_argument("--names", action="store_true", help="only the names, one per line, for scripts")


def _add_check(one: ArgumentParser) -> None:
    one.add_argument("model", metavar="MODEL", help="name of an example, or a .py file that defines model()")
    one.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter; may be repeated"
    )


def _add_motion(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("duration", metavar="DURATION", nargs="?", type=float, help="simulated time [s]")
    one.add_argument("--rtol", type=float, metavar="X", help="relative tolerance")
    one.add_argument("--atol", type=float, metavar="X", help="absolute tolerance")
    one.add_argument("--output", type=float, metavar="DT", help="time between samples [s]")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def _add_run(one: ArgumentParser) -> None:
    _add_motion(one)
    one.add_argument("--formulation", metavar="NAME", help="how to derive the equations: absolute, minimal, auto, …")
    one.add_argument("--solver", metavar="NAME", help="how to integrate them, for instance dopri5")
    one.add_argument("--step", type=float, metavar="H", help="step of solvers that need a fixed one [s]")
    one.add_argument(
        "--plot",
        action="append",
        default=[],
        metavar="CHANNELS",
        help='what to plot, for instance "piston.x O.reaction.*"; may be repeated',
    )
    one.add_argument(
        "-o", dest="plot_file", type=Path, metavar="FILE", help="plot file: .svg, .png or .pdf [MODEL.svg]"
    )
    one.add_argument("--save", type=Path, metavar="FILE", help="save the result as .nc or .csv")
    one.add_argument("--no-plot", action="store_true", help="write no plot")


def _add_compare(one: ArgumentParser) -> None:
    _add_motion(one)
    one.add_argument(
        "--formulations", default="absolute,compliant,minimal,points", metavar="A,B,…", help="which to compare [all]"
    )
    one.add_argument("--solvers", default="", metavar="A,B,…", help="each with every formulation [what suits it]")
    one.add_argument("--reference", metavar="NAME", help="formulation the others are measured against [minimal]")
    one.add_argument("--step", type=float, metavar="H", help="step of solvers that need a fixed one [s]")
    one.add_argument(
        "--channel", action="append", default=[], metavar="CHANNEL", help="show this one too; may be repeated"
    )
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot the differences: .svg, .png or .pdf")
    one.add_argument("--log", action="store_true", help="plot them on a logarithmic scale")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all numbers as .json (or .csv)")


def _examples(chosen: Namespace) -> int:
    """List the examples that come with the package."""
    from linkwork.cli.examples import examples

    return examples(names_only=chosen.names)


def _check(chosen: Namespace) -> int:
    """Look a model over before running it: mobility, redundant constraints, masses, start values."""
    from linkwork.cli.check import check

    return check(chosen.model, chosen.set)


def _run(chosen: Namespace) -> int:
    """Simulate a model, report on the run and plot it."""
    from linkwork.cli.run import run

    return run(
        chosen.model,
        chosen.duration,
        options={key: getattr(chosen, key) for key in ("formulation", "solver", "step", "rtol", "atol", "output")},
        settings=chosen.set,
        patterns=chosen.plot,
        plot_file=None if chosen.no_plot else chosen.plot_file or Path(f"{Path(chosen.model).stem}.svg"),
        save_file=chosen.save,
        quiet=chosen.quiet,
    )


def _compare(chosen: Namespace) -> int:
    """Run a model in several formulations; report what each cost and how far apart they are."""
    from linkwork.cli.compare import compare

    return compare(
        chosen.model,
        chosen.duration,
        formulations=_words(chosen.formulations),
        solvers=_words(chosen.solvers),
        channels=[word for text in chosen.channel for word in _words(text)],
        options={key: getattr(chosen, key) for key in ("reference", "rtol", "atol", "output", "step")},
        settings=chosen.set,
        plot_file=chosen.plot_file,
        log=chosen.log,
        save_file=chosen.save_file,
        quiet=chosen.quiet,
    )


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


class _Version(Action):
    """Prints the installed version; looking it up takes 30 ms, so it waits until it is asked for."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"linkwork {version('linkwork')}")
        parser.exit()
