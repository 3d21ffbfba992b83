"""The commands. What each one does is in the module of its name, imported when it is asked for.

The parser is the standard library's: the richer ones take up to 0.2 s of every command to start, and a run takes less.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import linkwork
from linkwork.cli import options
from linkwork.cli.guard import CANCELLED, guarded
from linkwork.cli.startup import short_lived
from linkwork.core.plain_data import Record


def entry() -> int:
    """The installed command: `main` in a process of its own."""
    try:
        with short_lived():
            return main()
    except KeyboardInterrupt:  # before or after what guards a command
        return CANCELLED


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in `words` (those of the command line unless given) and return its exit code."""
    chosen = parser().parse_args(words)
    if not getattr(chosen, "allow_fmus", False):
        return guarded(lambda: _commanded(chosen), debug=chosen.debug)
    from linkwork.cli.models import allowing_fmus

    with allowing_fmus():
        return guarded(lambda: _commanded(chosen), debug=chosen.debug)


def _commanded(chosen: Namespace) -> int:
    from linkwork.core.progress.showing import silenced

    with silenced(getattr(chosen, "quiet", False)):
        return int(chosen.command(chosen))


def parser() -> ArgumentParser:
    """The whole command line."""
    whole = ArgumentParser(
        prog="linkwork", description="Multibody dynamics: describe a mechanism once, run it in any formulation."
    )
    whole.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    commands = whole.add_subparsers(metavar="COMMAND", required=True)
    for name, add, command in (
        ("examples", options.examples, _examples),
        ("check", options.checking, _check),
        ("run", options.run, _run),
        ("compare", options.compare, _compare),
        ("equations", options.equations, _equations),
        ("export", options.export, _export),
        ("sensitivity", options.sensitivity, _sensitivity),
        ("optimise", options.optimise, _optimise),
        ("sweep", options.sweep, _sweep),
        ("fit", options.fit, _fit),
        ("equilibrium", options.equilibrium, _equilibrium),
        ("linearize", options.linearize, _linearize),
        ("floquet", options.floquet, _floquet),
        ("kinematics", options.kinematics, _kinematics),
        ("inverse", options.inverse, _inverse),
        ("bondgraph", options.bondgraph, _bondgraph),
        ("view", options.view, _view),
        ("gallery", options.gallery, _gallery),
        ("studio", options.studio, _studio),
    ):
        text = command.__doc__ or ""
        one = commands.add_parser(name, help=text[0].lower() + text[1:].rstrip("."), description=text)
        one.add_argument("--debug", action="store_true", help="show the traceback of an error")
        one.set_defaults(command=command)
        add(one)
    return whole


def _examples(chosen: Namespace) -> int:
    """List the examples that come with the package."""
    from linkwork.cli.examples import examples

    return examples(names_only=chosen.names)


def _check(chosen: Namespace) -> int:
    """Look a model over before running it: mobility, redundant constraints, masses, start values."""
    from linkwork.cli.check import check

    return check(chosen.model, chosen.set, structure=chosen.structure)


def _run(chosen: Namespace) -> int:
    """Simulate a model, report on the run and plot it."""
    from linkwork.cli.run import run

    return run(
        chosen.model,
        chosen.duration,
        options={key: getattr(chosen, key) for key in ("formulation", "solver", "step", "rtol", "atol", "output")}
        | ({"verify": True} if chosen.verify else {}),
        settings=chosen.set,
        patterns=chosen.plot,
        figure=chosen.figure,
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


def _driven(chosen: Namespace) -> Record:
    return {
        "options": {} if chosen.output is None else {"output": chosen.output},
        "settings": chosen.set,
        "patterns": chosen.plot,
        "plot_file": chosen.plot_file or (Path(f"{Path(chosen.model).stem}.svg") if chosen.plot else None),
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
        overlay=chosen.overlay,
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
        modes=chosen.modes,
        plot_file=chosen.plot_file,
        save_file=chosen.save_file,
    )


def _floquet(chosen: Namespace) -> int:
    """Whether a periodic motion of a model is stable: its multipliers over one period."""
    from linkwork.cli.floquet import floquet

    return floquet(
        chosen.model,
        chosen.set,
        period=chosen.period,
        settle=chosen.settle,
        formulation=chosen.formulation,
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

    keys = ("method", "formulation", "solver", "rtol", "atol", "max_iterations", "starts", "seed", "backend")
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


def _sweep(chosen: Namespace) -> int:
    """Run many cases of a model: grids, tables, random values; what is finished is never run again."""
    from linkwork.cli.sweep import sweep

    keys = ("cases", "sampling", "seed", "backend", "workers", "formulation", "solver", "rtol", "atol", "output")
    return sweep(
        chosen.model,
        chosen.duration,
        vary=chosen.vary,
        table=chosen.table,
        to=chosen.to or Path(f"{Path(chosen.model).stem}-sweep.zarr"),
        options={key: getattr(chosen, key) for key in keys}
        | {
            "channels": [word for text in chosen.channels for word in _words(text)],
            "keep": _words(chosen.keep or "end"),
            "sensitivities": _words(chosen.by or ""),
        },
        settings=chosen.set,
        quiet=chosen.quiet,
    )


def _fit(chosen: Namespace) -> int:
    """Find the parameters with which a model follows measurements."""
    from linkwork.cli.fit import fit

    return fit(
        chosen.model,
        chosen.data,
        over=chosen.over,
        options={key: getattr(chosen, key) for key in ("starts", "seed", "backend", "formulation", "solver")},
        settings=chosen.set,
        plot_file=chosen.plot_file,
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


def _export(chosen: Namespace) -> int:
    """Write a model for other simulators, as an FMU."""
    from linkwork.cli.export import export

    return export(
        chosen.model,
        fmu=chosen.fmu,
        version=chosen.fmi,
        formulation=chosen.formulation,
        duration=chosen.duration,
        binary=not chosen.sources_only,
        settings=chosen.set,
    )


def _bondgraph(chosen: Namespace) -> int:
    """Draw the bond graph of a model and tell its causality."""
    from linkwork.cli.bondgraph import bondgraph

    file = chosen.file or Path(f"{Path(chosen.model).stem}-bondgraph.svg")
    options = {key: getattr(chosen, key) for key in ("bonds", "joints", "fold", "report", "quiet")}
    return bondgraph(chosen.model, chosen.set, file=file, **options)


def _view(chosen: Namespace) -> int:
    """Simulate a model and show it moving in the browser."""
    from linkwork.cli.view import view

    return view(
        chosen.model,
        chosen.duration,
        options={key: getattr(chosen, key) for key in ("formulation", "solver", "rtol", "atol", "output")},
        settings=chosen.set,
        scene={"plot": chosen.plot, "trace": chosen.trace, "follow": chosen.follow, "speed": chosen.speed},
        file=chosen.file,
        live=chosen.live,
        open_browser=not chosen.no_open,
        quiet=chosen.quiet,
    )


def _gallery(chosen: Namespace) -> int:
    """Make a page of the examples: picture, animation, plot and code of each."""
    from linkwork.cli.gallery import gallery

    return gallery(chosen.folder, chosen.names, quiet=chosen.quiet)


def _studio(chosen: Namespace) -> int:
    """Draw, run and understand mechanisms on a local page in the browser."""
    from linkwork.cli.studio import studio

    return studio(
        chosen.model,
        address=chosen.address,
        port=chosen.port,
        folder=chosen.folder,
        settings=chosen.set,
        time_limit=chosen.time_limit,
        open_browser=not chosen.no_browser,
    )


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


class _Version(Action):
    """Prints the version."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        print(f"linkwork {linkwork.__version__}")
        parser.exit()
