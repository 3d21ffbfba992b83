"""What the verbs of one tab work on: its document, the model made of it, and its runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.model import Model
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.formulations import can_move
from linkwork.studio.scene import Scene
from linkwork.studio.server.archive import Archive
from linkwork.studio.server.document import Document, restored
from linkwork.studio.server.mechanism import Mechanism, mechanism_of, structure_of
from linkwork.studio.server.settings import KEPT_BYTES, KEPT_RUNS, Settings
from linkwork.studio.server.tree import tree_of


@dataclass
class Run:
    """A result, and what it was asked for with."""

    name: str
    label: str
    options: Record
    text: str
    """Of the document it is a run of; values of parameters may be others, see `options`."""
    told: Record
    """What lists of runs show."""
    made: Result | None = None
    """None: it is on disk."""
    archive: Archive | None = None
    """Where it is on disk, if it was read from there."""
    graph: Result | None = None
    """The same motion computed from the bond graph, once somebody has asked for powers of bonds."""

    @property
    def result(self) -> Result:
        if self.made is None:
            assert self.archive is not None
            self.made = self.archive.read(self.name)
        return self.made

    @property
    def seconds(self) -> float | None:
        """That it took to compute."""
        timings = self.result.record.get("timings") or {}
        return sum(float(x) for x in timings.values()) if timings else None

    @property
    def size(self) -> int:
        """Bytes that it takes in memory."""
        return 0 if self.made is None else self.made.data.nbytes

    @property
    def entry(self) -> Record:
        """What is written of it beside its result."""
        return {"run": self.name, "label": self.label, "options": self.options, "text": self.text, "told": self.told}


@dataclass(frozen=True)
class Shown:
    """What the page was told last of a run: its scene, and the description of the mechanism that it was built from."""

    run: str
    scene: Scene
    description: Record


@dataclass
class Session:
    """One tab. tell: sends an event to the page, from wherever it is."""

    settings: Settings
    tab: str
    tell: Callable[[Record], None] = lambda event: None
    asked: int = 0
    """Number of the request that is being answered."""
    document: Document = field(init=False)
    runs: OrderedDict[str, Run] = field(default_factory=OrderedDict)
    shown: Shown | None = None
    held: Record = field(default_factory=dict)
    """Whatever verbs keep until the document changes, by their names."""
    _count: int = 0
    _passing: str | None = None
    _unwritten: set[str] | None = None
    """Runs that are not on disk yet; None: the list there is as it should be."""

    def __post_init__(self) -> None:
        self.document = restored(self.folder, self.tab, self.settings.first, self.settings.first_hints)
        self._archive = Archive(self.folder, self.tab)
        for told in self._archive.listed():
            self._restore(told)
        self._made: Mechanism | None = None
        self._text: str | None = None
        self._scene: Record | None = None

    @property
    def folder(self) -> Path:
        return self.settings.folder

    @property
    def mechanism(self) -> Mechanism:
        """Of the current version."""
        if self._text != self.document.text or self._made is None:
            before = self._made
            self._made = mechanism_of(self.document.text, self.folder, before)
            self._text = self.document.text
            self._scene = self._made.scene or self._scene
            self.held = {}
        return self._made

    @property
    def model(self) -> Model:
        return self.mechanism.ready

    @property
    def parameters(self) -> dict[str, float]:
        return self.mechanism.parameters

    def opened(self, text: str, path: str | None, hints: Record | None = None) -> Record:
        """Another document; its runs are those of another model and go."""
        self.document.opened(text, path, hints)
        self._scene = None
        self.runs.clear()
        self.shown = None
        self._unwritten = set()
        return self.changed()

    def changed(self) -> Record:
        """Tell the page the new state, and return what an edit answers: its version and whether it loads."""
        state = self.state()
        self.tell({"event": "state", **state})
        return {"version": state["version"], "problem": state["problem"]}

    def state(self) -> Record:
        """All that the page shows of the document."""
        document, made = self.document, self.mechanism
        try:
            data = document.data()
        except LinkworkError:
            data = {}
        settings = data.get("model") if isinstance(data.get("model"), dict) else {}
        tree = tree_of(data)
        return {
            "name": str(settings.get("name", "")) if settings else "",
            "version": document.number,
            "planar": made.model.is_planar if made.model is not None else _is_planar(settings),
            "empty": not any(entry["family"] not in ("parameter", "input", "table") for entry in tree),
            "still": made.model is not None and not can_move(made.model),
            "can_undo": document.can_undo,
            "can_redo": document.can_redo,
            "saved": document.is_saved,
            "unkept": document.unkept,
            "path": document.path,
            "text": document.text,
            "components": tree,
            "check": made.check,
            "scene": made.scene or self._scene,
            "stale": made.scene is None and self._scene is not None,
            "problem": made.problem,
            "hints": document.hints,
            "runs": [listed(run) for run in self.runs.values()],
        }

    def keep(self, label: str, result: Result, options: Record, *, passing: bool = False) -> Run:
        """Remember a run; the oldest are forgotten where there are many. passing: the next one takes its place."""
        if self._passing is not None:
            self.runs.pop(self._passing, None)
        self._count += 1
        name = f"run{self._count}"
        made = self.runs[name] = Run(name, label or name, options, self.document.text, summary(result), result)
        self._passing = name if passing else None
        if not passing:
            self._unwritten = (self._unwritten or set()) | {name}
        while len(self.runs) > KEPT_RUNS or (
            len(self.runs) > 1 and sum(r.size for r in self.runs.values()) > KEPT_BYTES
        ):
            self.runs.popitem(last=False)
        return made

    def forget(self, name: str) -> None:
        """Drop a run."""
        self.run(name)
        del self.runs[name]
        self._unwritten = (self._unwritten or set()) - {name}

    def write_runs(self) -> None:
        """Bring what is on disk up to date; called when nobody waits."""
        if self._unwritten is None:
            return
        kept = [run for run in self.runs.values() if run.name != self._passing]
        new = {run.name: run.result for run in kept if run.name in self._unwritten}
        self._unwritten = None
        self._archive.write([run.entry for run in kept], new)

    def _restore(self, told: Record) -> None:
        try:
            name, options, text = str(told["run"]), dict(told["options"]), str(told["text"])
            number = int(name.removeprefix("run"))
            known = {word: told["told"][word] for word in ("formulation", "solver", "status", "t_end")}
            self.runs[name] = Run(name, str(told["label"]), options, text, known, archive=self._archive)
            self._count = max(self._count, number)
        except (KeyError, TypeError, ValueError):
            return

    def fits(self, run: Run) -> bool:
        """Whether a run is one of the model as it is now, whatever the values of its parameters."""
        return structure_of(run.text) == self.mechanism.structure

    def is_current(self, run: Run) -> bool:
        """Whether it is one of the document as it is now."""
        return self.fits(run) and run.options.get("parameters") == self.parameters

    def run(self, name: str) -> Run:
        if name not in self.runs:
            raise UnknownName("run", name, self.runs)
        return self.runs[name]

    def progress(self, stage: str, share: float | None = None) -> None:
        self.tell({"event": "progress", "id": self.asked, "stage": stage, "share": share})


def summary(result: Result) -> Record:
    """What is told of a result beside its name."""
    return {
        "formulation": result.record.get("formulation"),
        "solver": result.record.get("solver"),
        "status": result.record.get("status"),
        "t_end": float(result.t[-1]) if result.t.size else 0.0,
    }


def listed(run: Run) -> Record:
    """What lists of runs show."""
    return {"run": run.name, "label": run.label, **run.told}


def _is_planar(settings: object) -> bool:
    gravity = settings.get("gravity") if isinstance(settings, dict) else None
    return not (isinstance(gravity, list) and len(gravity) == 3)
