"""The options of each command, one function per command."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path


def examples(one: ArgumentParser) -> None:
    one.add_argument("--names", action="store_true", help="only the names, one per line, for scripts")


def checking(one: ArgumentParser) -> None:
    check(one)
    one.add_argument(
        "--structure", action="store_true", help="also tell how the equations are matched, sorted and torn"
    )


def check(one: ArgumentParser) -> None:
    one.add_argument(
        "model",
        metavar="MODEL",
        help="name of an example, a .py file that defines model(), or a .toml, .urdf, .sdf or .xml file",
    )
    one.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a parameter or an input; may be repeated",
    )
    one.add_argument(
        "--allow-fmus",
        action="store_true",
        help="let a model file name FMUs in its folder, whose code then runs: only if you trust them",
    )


def motion(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("duration", metavar="DURATION", nargs="?", type=float, help="simulated time [s]")
    one.add_argument("--rtol", type=float, metavar="X", help="relative tolerance")
    one.add_argument("--atol", type=float, metavar="X", help="absolute tolerance")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def samples(one: ArgumentParser) -> None:
    one.add_argument("--output", type=float, metavar="DT", help="time between samples [s]")


def run(one: ArgumentParser) -> None:
    motion(one)
    samples(one)
    one.add_argument("--formulation", metavar="NAME", help="how to derive the equations: absolute, minimal, auto, …")
    one.add_argument("--solver", metavar="NAME", help="how to integrate them, for instance dopri5")
    one.add_argument("--step", type=float, metavar="H", help="step of solvers that need a fixed one [s]")
    one.add_argument(
        "--verify", action="store_true", help="run again, tighter and in another formulation: which digits hold?"
    )
    one.add_argument(
        "--plot",
        action="append",
        default=[],
        metavar="CHANNELS",
        help='what to plot, for instance "piston.x, O.reaction.*"; may be repeated',
    )
    one.add_argument(
        "--figure",
        choices=("series", "phase", "energy", "drift", "steps"),
        default="series",
        help="channels over time [series], one against the other, energy balance, constraint drift, or step size",
    )
    one.add_argument(
        "-o", dest="plot_file", type=Path, metavar="FILE", help="plot file: .svg, .png or .pdf [MODEL.svg]"
    )
    one.add_argument("--save", type=Path, metavar="FILE", help="save the result as .nc or .csv")
    one.add_argument("--no-plot", action="store_true", help="write no plot")


def kinematics(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("duration", metavar="DURATION", nargs="?", type=float, help="time [s]")
    one.add_argument(
        "--drive",
        action="append",
        default=[],
        metavar="NAME=WHAT",
        help='what a coordinate does: "O.angle=2*t" or "O.angle=file.csv:column"; may be repeated',
    )
    samples(one)
    one.add_argument("--plot", action="append", default=[], metavar="CHANNELS", help="what to plot; may be repeated")
    one.add_argument(
        "-o",
        dest="plot_file",
        type=Path,
        metavar="FILE",
        help="plot file: .svg, .png or .pdf [none; with --plot, MODEL.svg]",
    )
    one.add_argument("--save", type=Path, metavar="FILE", help="save the result as .nc or .csv")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def inverse(one: ArgumentParser) -> None:
    kinematics(one)
    one.add_argument("--motion", type=Path, metavar="FILE", help="take the motion of a saved result instead of drives")
    one.add_argument(
        "--actuator",
        action="append",
        default=[],
        metavar="NAME",
        help="where efforts act [the drives]; may be repeated",
    )


def compare(one: ArgumentParser) -> None:
    motion(one)
    samples(one)
    one.add_argument(
        "--formulations",
        default="absolute,compliant,minimal,points,acausal,bondgraph",
        metavar="A,B,…",
        help="which to compare [%(default)s]",
    )
    one.add_argument("--solvers", default="", metavar="A,B,…", help="each with every formulation [what suits it]")
    one.add_argument("--reference", metavar="NAME", help="formulation the others are measured against [minimal]")
    one.add_argument("--step", type=float, metavar="H", help="step of solvers that need a fixed one [s]")
    one.add_argument(
        "--channel", action="append", default=[], metavar="CHANNEL", help="show this one too; may be repeated"
    )
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot the differences: .svg, .png or .pdf")
    one.add_argument("--overlay", action="store_true", help="plot the runs on top of each other too")
    one.add_argument("--log", action="store_true", help="plot differences on a logarithmic scale")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all numbers as .json (or .csv)")


def equilibrium(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("--formulation", default="absolute", metavar="NAME", help="how to derive the equations [absolute]")
    one.add_argument(
        "--show", action="append", default=[], metavar="CHANNELS", help='what to print ["*.effort *.reaction.*"]'
    )


def linearize(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("--formulation", default="absolute", metavar="NAME", help="how to derive the equations [absolute]")
    one.add_argument(
        "--equilibrium",
        action=BooleanOptionalAction,
        help="at the equilibrium, not at the start [only with --locus]",
    )
    one.add_argument("--locus", metavar="NAME=FROM:TO:N", help="follow the eigenvalues while a parameter changes")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot eigenvalues: .svg, .png or .pdf")
    one.add_argument("--modes", action="store_true", help="plot mode shapes instead of eigenvalues")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all numbers as .json")


def floquet(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("--period", type=float, metavar="SECONDS", help="of what drives it, or about its own [found]")
    one.add_argument(
        "--settle", type=float, metavar="SECONDS", help="run so long first, until the motion is (nearly) periodic"
    )
    one.add_argument("--formulation", default="absolute", metavar="NAME", help="how to derive the equations [absolute]")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all numbers as .json")


def sensitivity(one: ArgumentParser) -> None:
    motion(one)
    samples(one)
    one.add_argument(
        "--of", action="append", default=[], metavar="CHANNEL", help="channel to differentiate; may be repeated"
    )
    one.add_argument("--to", default="", metavar="A,B,…", help="parameters to differentiate by [all]")
    one.add_argument("--formulation", metavar="NAME", help="absolute, minimal, points, compliant or auto [auto]")
    one.add_argument("--solver", metavar="NAME", help="dopri5, dop853, radau or cvodes [what suits the model]")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot the derivatives: .svg, .png or .pdf")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save all derivatives as .json")


def optimise(one: ArgumentParser) -> None:
    motion(one)
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
    one.add_argument("--starts", type=int, metavar="N", help="search from so many points, and take the best [1]")
    one.add_argument("--seed", type=int, metavar="N", help="the same seed, the same points [0]")
    one.add_argument(
        "--backend", metavar="NAME", help="serial, threads, processes, dask: who makes the searches [auto]"
    )
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save the outcome as .json")


def sweep(one: ArgumentParser) -> None:
    motion(one)
    samples(one)
    one.add_argument(
        "--vary", action="append", default=[], metavar="NAME=WHAT",
        help='what varies: "L=0.1:0.5:50" (from, to, how many), "L=0.1,0.2", "k~normal(1e4,500)"; may be repeated',
    )  # fmt: skip
    one.add_argument("--table", type=Path, metavar="FILE", help="a CSV file with a row of names and one per case")
    one.add_argument("--cases", type=int, metavar="N", help="how many, where something is random")
    one.add_argument("--sampling", metavar="HOW", help="random, sobol, halton or latin [random]")
    one.add_argument("--seed", type=int, metavar="N", help="the same seed, the same numbers [0]")
    one.add_argument(
        "--channels", action="append", default=[], metavar="CHANNELS",
        help='what is kept, for instance "piston.x, O.reaction.*"; may be repeated [those worth a look]',
    )  # fmt: skip
    one.add_argument(
        "--keep", metavar="A,B,…", help="series, end, min, max, mean, rms, integral: of each channel [end]"
    )
    one.add_argument("--by", metavar="A,B,…", help="parameters by which all that is kept is differentiated, too")
    one.add_argument(
        "--backend",
        metavar="NAME",
        help="serial, threads, processes, lanes, cuda, dask, or tcp://…, a scheduler [auto]",
    )
    one.add_argument("--workers", type=int, metavar="N", help="how many at a time [one per processor]")
    one.add_argument("--formulation", metavar="NAME", help="how to derive the equations: absolute, minimal, auto, …")
    one.add_argument("--solver", metavar="NAME", help="how to integrate them, for instance dopri5")
    one.add_argument("--to", type=Path, metavar="FOLDER", help="where outcomes are written [MODEL-sweep.zarr]")


def fit(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("data", metavar="DATA", type=Path, help="a CSV file: times [s] first, then a column per channel")
    one.add_argument(
        "--over", action="append", default=[], metavar="NAME[=LOW:HIGH]",
        help="parameter to find, with its bounds; may be repeated",
    )  # fmt: skip
    one.add_argument("--starts", type=int, metavar="N", help="search from so many points, and take the best [1]")
    one.add_argument("--seed", type=int, metavar="N", help="the same seed, the same points [0]")
    one.add_argument(
        "--backend", metavar="NAME", help="serial, threads, processes, dask: who makes the searches [auto]"
    )
    one.add_argument("--formulation", metavar="NAME", help="absolute, minimal, points, compliant or auto [auto]")
    one.add_argument("--solver", metavar="NAME", help="dopri5, dop853, radau or cvodes [what suits the model]")
    one.add_argument("-o", dest="plot_file", type=Path, metavar="FILE", help="plot the residuals: .svg, .png or .pdf")
    one.add_argument("--json", dest="save_file", type=Path, metavar="FILE", help="save the outcome as .json")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def equations(one: ArgumentParser) -> None:
    check(one)
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


def export(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("--fmu", type=Path, metavar="FILE", help="where to write the FMU [MODEL.fmu]")
    one.add_argument("--fmi", choices=("3.0", "2.0"), default="3.0", help="version of FMI [%(default)s]")
    one.add_argument("--formulation", default="auto", metavar="NAME", help="absolute, minimal, … [auto]")
    one.add_argument("--duration", type=float, metavar="S", help="for which what changes with time is to be known [s]")
    one.add_argument("--sources-only", action="store_true", help="compile nothing: sources alone")


def bondgraph(one: ArgumentParser) -> None:
    check(one)
    one.add_argument("--bonds", default="vector", metavar="KIND", help="vector or scalar [vector]")
    ways = "lagrange, rc, ideal, minimal or canonical [lagrange]"
    one.add_argument("--joints", default="lagrange", metavar="HOW", help=ways)
    one.add_argument(
        "-o", dest="file", type=Path, metavar="FILE", help="drawing: .svg, .pdf, .png or .html [MODEL-bondgraph.svg]"
    )
    one.add_argument(
        "--fold", action="append", default=[], metavar="GROUP",
        help="draw a body, joint or component as one node; may be repeated; all: every one",
    )  # fmt: skip
    one.add_argument("--report", action="store_true", help="print the causality of every element")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def view(one: ArgumentParser) -> None:
    motion(one)
    samples(one)
    one.add_argument("--formulation", metavar="NAME", help="how to derive the equations: absolute, minimal, auto, …")
    one.add_argument("--solver", metavar="NAME", help="how to integrate them, for instance dopri5")
    one.add_argument("--plot", metavar="CHANNELS", help='channels to plot along, for instance "piston.x, O.reaction.*"')
    one.add_argument("--trace", action="append", default=[], metavar="BODY", help="draw its path; may be repeated")
    one.add_argument("--follow", metavar="BODY", help="the camera stays with this body")
    one.add_argument("--speed", type=float, metavar="X", help="seconds of motion per second")
    one.add_argument("-o", dest="file", type=Path, metavar="FILE", help="write .html, .gif or .mp4 [a temporary .html]")
    one.add_argument("--live", action="store_true", help="show the run while it is computed")
    one.add_argument("--no-open", action="store_true", help="open no browser")


def gallery(one: ArgumentParser) -> None:
    one.add_argument("names", metavar="EXAMPLE", nargs="*", help="which examples [all]")
    one.add_argument("-o", dest="folder", type=Path, default=Path("gallery"), metavar="FOLDER", help="where [gallery]")
    one.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def studio(one: ArgumentParser) -> None:
    one.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        help="what new tabs begin with: an example, a .py file that defines model(), or a .toml, .urdf or .xml file",
    )
    one.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter of it")
    one.add_argument("--port", type=int, default=8137, metavar="N", help="where to listen; 0: any that is free [8137]")
    one.add_argument(
        "--address",
        default="127.0.0.1",
        metavar="A",
        help="of another network card: needs a token in the URL [127.0.0.1]",
    )
    one.add_argument(
        "--folder", type=Path, default=Path(), metavar="DIR", help="where models are opened and saved [this one]"
    )
    one.add_argument("--time-limit", type=float, default=120.0, metavar="S", help="of one run [120 s]")
    one.add_argument("--no-browser", action="store_true", help="open no browser")
