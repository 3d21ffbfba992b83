"""The commands and their options. What each one does is in the module of its name, imported when it is asked for.

The parser is the standard library's: the richer ones take up to 0.2 s of every command to start, and a run takes less.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, BooleanOptionalAction, Namespace
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
        ("equations", _add_equations, _equations),
        ("sensitivity", _add_sensitivity, _sensitivity),
        ("optimise", _add_optimise, _optimise),
        ("equilibrium", _add_equilibrium, _equilibrium),
        ("linearize", _add_linearize, _linearize),
        ("kinematics", _add_kinematics, _kinematics),
        ("inverse", _add_inverse, _inverse),
        ("bondgraph", _add_bondgraph, _bondgraph),
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


def _add_kinematics(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("duration", metavar="DURATION", nargs="?", type=float, help="time [s]")
    one.add_argument(
        "--drive",
        action="append",
        default=[],
        metavar="NAME=WHAT",
        help='what a coordinate does: "O.angle=2*t" or "O.angle=file.csv:column"; may be repeated',
    )
    one.add_argument("--output", type=float, metavar="DT", help="time between samples [s]")
    one.add_argument("--plot", action="append", default=[], metavar="CHANNELS", help="what to plot; may be repeated")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot file: .svg, .png or .pdf")
    one.add_argument("--save", type=Path, metavar="FILE", help="save the result as .nc or .csv")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def _add_inverse(one: ArgumentParser) -> None:
    _add_kinematics(one)
    one.add_argument("--motion", type=Path, metavar="FILE", help="take the motion of a saved result instead of drives")
    one.add_argument(
        "--actuator",
        action="append",
        default=[],
        metavar="NAME",
        help="where efforts act [the drives]; may be repeated",
    )


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


def _add_equilibrium(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("--formulation", default="absolute", metavar="NAME", help="how to derive the equations [absolute]")
    one.add_argument(
        "--show", action="append", default=[], metavar="CHANNELS", help='what to print ["*.effort *.reaction.*"]'
    )


def _add_linearize(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("--formulation", default="absolute", metavar="NAME", help="how to derive the equations [absolute]")
    one.add_argument(
        "--equilibrium",
        action=BooleanOptionalAction,
        help="at the equilibrium, not at the start [only with --locus]",
    )
    one.add_argument("--locus", metavar="NAME=FROM:TO:N", help="follow the eigenvalues while a parameter changes")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot eigenvalues: .svg, .png or .pdf")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all numbers as .json")


def _add_sensitivity(one: ArgumentParser) -> None:
    _add_motion(one)
    one.add_argument(
        "--of", action="append", default=[], metavar="CHANNEL", help="channel to differentiate; may be repeated"
    )
    one.add_argument("--to", default="", metavar="A,B,…", help="parameters to differentiate by [all]")
    one.add_argument("--formulation", metavar="NAME", help="absolute, minimal, points, compliant or auto [auto]")
    one.add_argument("--solver", metavar="NAME", help="dopri5, dop853, radau or cvodes [what suits the model]")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot the derivatives: .svg, .png or .pdf")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all derivatives as .json")


def _add_optimise(one: ArgumentParser) -> None:
    _add_motion(one)
    goal = "final:CHANNEL, integral:CHANNEL or square:CHANNEL (integral of the square)"
    one.add_argument("--minimise", metavar="GOAL", help=f"what to make small: {goal}")
    one.add_argument("--maximise", metavar="GOAL", help="what to make large, written alike")
    one.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="parameter to vary, with its bounds; may be repeated",
    )
    one.add_argument(
        "--subject", action="append", default=[], metavar="GOAL=LOW:HIGH", help="a constraint; may be repeated"
    )
    one.add_argument("--method", metavar="NAME", help="SLSQP, L-BFGS-B, trust-constr or ipopt [SLSQP]")
    one.add_argument("--formulation", metavar="NAME", help="absolute, minimal, points, compliant or auto [auto]")
    one.add_argument("--solver", metavar="NAME", help="dopri5, dop853, radau or cvodes [what suits the model]")
    one.add_argument("--iterations", dest="max_iterations", type=int, metavar="N", help="at most this many [200]")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save the outcome as .json")


def _add_equations(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("--formulation", default="minimal", metavar="NAME", help="absolute, minimal, … [minimal]")
    forms = one.add_mutually_exclusive_group()
    for form, text in (
        ("latex", "LaTeX; with -o a whole document"),
        ("sympy", "Python text that builds the SymPy matrices"),
        ("python", "a Python module that needs only NumPy"),
        ("c", "C99 source, header and a main, in the folder -o [MODEL_c]"),
    ):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="text", help=text)
    one.add_argument("-o", dest="target", type=Path, metavar="FILE", help="write there instead of printing")


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


def _kinematics(chosen: Namespace) -> int:
    """Drive a mechanism without dynamics: positions, speeds and accelerations."""
    from linkwork.cli.kinematics import kinematics

    return kinematics(chosen.model, chosen.duration, drive=chosen.drive, **_driven(chosen))


def _inverse(chosen: Namespace) -> int:
    """Find the forces and torques that a motion needs."""
    from linkwork.cli.inverse import inverse

    return inverse(
        chosen.model,
        chosen.duration,
        drive=chosen.drive,
        motion=chosen.motion,
        actuators=chosen.actuator,
        **_driven(chosen),
    )


def _driven(chosen: Namespace) -> dict[str, Any]:
    return {
        "options": {} if chosen.output is None else {"output": chosen.output},
        "settings": chosen.set,
        "patterns": chosen.plot,
        "plot_file": chosen.plot_file,
        "save_file": chosen.save,
        "quiet": chosen.quiet,
    }


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


def _equilibrium(chosen: Namespace) -> int:
    """Find where a model rests, and what its joints carry there."""
    from linkwork.cli.equilibrium import equilibrium

    channels = [word for text in chosen.show for word in _words(text)]
    return equilibrium(chosen.model, chosen.set, formulation=chosen.formulation, channels=channels)


def _linearize(chosen: Namespace) -> int:
    """Eigenvalues and modes of a model near its start or its equilibrium, or while a parameter changes."""
    from linkwork.cli.linearize import linearize

    return linearize(
        chosen.model,
        chosen.set,
        formulation=chosen.formulation,
        at_equilibrium=chosen.locus is not None if chosen.equilibrium is None else chosen.equilibrium,
        locus=chosen.locus,
        plot_file=chosen.plot_file,
        save_file=chosen.save_file,
    )


def _sensitivity(chosen: Namespace) -> int:
    """Differentiate channels of a model with respect to its parameters."""
    from linkwork.cli.sensitivity import sensitivity

    return sensitivity(
        chosen.model,
        chosen.duration,
        channels=[word for text in chosen.of for word in _words(text)],
        parameters=_words(chosen.to),
        options={key: getattr(chosen, key) for key in ("formulation", "solver", "rtol", "atol", "output")},
        settings=chosen.set,
        plot_file=chosen.plot_file,
        save_file=chosen.save_file,
        quiet=chosen.quiet,
    )


def _optimise(chosen: Namespace) -> int:
    """Find the parameters that make a value or an integral of a run smallest or largest."""
    from linkwork.cli.optimise import optimise

    keys = ("method", "formulation", "solver", "rtol", "atol", "max_iterations")
    return optimise(
        chosen.model,
        chosen.duration,
        minimise=chosen.minimise,
        maximise=chosen.maximise,
        over=chosen.over,
        subject=chosen.subject,
        options={key: getattr(chosen, key) for key in keys},
        settings=chosen.set,
        save_file=chosen.save_file,
        quiet=chosen.quiet,
    )


def _equations(chosen: Namespace) -> int:
    """Print the equations of motion of a model, or write them as LaTeX, SymPy, Python or C."""
    from linkwork.cli.equations import equations

    return equations(
        chosen.model,
        formulation=chosen.formulation,
        form=chosen.form,
        target=chosen.target,
        settings=chosen.set,
    )


def _add_bondgraph(one: ArgumentParser) -> None:
    _add_check(one)
    one.add_argument("--bonds", default="vector", metavar="KIND", help="vector or scalar [vector]")
    one.add_argument("--joints", default="lagrange", metavar="HOW", help="lagrange, rc, ideal or minimal [lagrange]")
    one.add_argument(
        "-o", dest="file", type=Path, metavar="FILE", help="drawing: .svg, .pdf, .png or .html [MODEL-bondgraph.svg]"
    )
    one.add_argument("--report", action="store_true", help="print the causality of every element")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def _bondgraph(chosen: Namespace) -> int:
    """Draw the bond graph of a model and tell its causality."""
    from linkwork.cli.bondgraph import bondgraph

    file = chosen.file or Path(f"{Path(chosen.model).stem}-bondgraph.svg")
    options = {key: getattr(chosen, key) for key in ("bonds", "joints", "report", "quiet")}
    return bondgraph(chosen.model, chosen.set, file=file, **options)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


class _Version(Action):
    """Prints the installed version; looking it up takes 30 ms, so it waits until it is asked for."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"linkwork {version('linkwork')}")
        parser.exit()
