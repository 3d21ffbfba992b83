"""`python -m tests.fuzz.files --files 100000 --seed 1`: mutated files of models and robots, each in a process.

Whatever a file holds, it is read within a second or refused by a LinkworkError: no other exception, no crash, no hang,
nothing opened outside of its folder. Exit status 1 if anything else was found.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 1.0
"""Of the processor that a file may take."""
SEEDS = Path(__file__).parents[1] / "unit" / "files"
WORDS = [
    "1e999", "-1", "0", "nan", "inf", "1e300", "-1e300", "9" * 400, "true", '""', "[]", "{}",
    "../../etc/passwd", "/etc/passwd", "package://../../../etc/passwd", "\x00", "é", "(" * 200, "[" * 500,
    "{a=" * 200, "9**9**9**9", "t -> t", "x.y.z", "ground", "ground.at(0)",
    "__import__('os').system('touch owned')", "a.__class__.__mro__", "shapes.Mesh('/etc/passwd')", "&lol;",
    "<!DOCTYPE a>", "<include file='seed.xml'/>", "<include file='/etc/passwd'/>", "<body>" * 300, "sin(" * 90,
    "-" * 500, "`", "'", '"', "\\", "\n", "<mujoco>", "<robot>", "<link name='a'/>",
    "<mimic joint='shoulder'/>", "e", ".", ",", ";", "=", "#", "<", ">", "/>",
]  # fmt: skip


def seeds() -> list[tuple[str, bytes]]:
    """Files to begin with: suffix and content."""
    from importlib import import_module

    from linkwork.files.models.saving import content_of
    from linkwork.files.models.toml_text import written

    found = [
        (f.suffix, f.read_bytes())
        for f in sorted((SEEDS / "robots").iterdir())
        if f.suffix in (".xml", ".urdf", ".sdf")
    ]
    for name in ("slider_crank", "motor_slider_crank", "right_angles", "vehicle", "robot", "crane", "excavator_boom"):
        model = import_module(f"linkwork.examples.{name}").model()
        found.append((".toml", written(content_of(model)).encode()))
    return found


def mutated(content: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """The content with a few changes: bytes, numbers, words, lines, pieces of another file."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(12)
        if kind == 0:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at] + rng.choice(WORDS).encode() + content[at:]
        elif kind == 2:
            content = content[:at] + rng.choice(WORDS).encode() + content[at + rng.randrange(12) :]
        elif kind == 3:
            content = content[:at] + content[at + rng.randrange(1, 60) :]
        elif kind == 4:
            lines = content.splitlines(keepends=True) or [b""]
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            content = b"".join(lines)
        elif kind == 5:
            other = rng.choice(others)
            i = rng.randrange(len(other))
            content = content[:at] + other[i : i + rng.randrange(200)] + content[at:]
        elif kind == 6:
            i = rng.randrange(len(content) + 1)
            content = content[:at] + content[i : i + rng.randrange(200)] + content[at:]
        elif kind == 7:
            content = _another_value(content, rng, [word.encode() for word in WORDS])
        else:  # what stands somewhere else of the same kind: the file may still mean something
            content = _another_value(content, rng, None)
    return content


def _another_value(content: bytes, rng: random.Random, words: list[bytes] | None) -> bytes:
    """One of the words in the place of a number or text in quotes; None: another number or text of the file."""
    quoted = rng.random() < 0.5
    places = list(re.finditer(rb'"[^"\n]*"' if quoted else rb"-?\d+\.?\d*(?:e-?\d+)?", content))
    if not places:
        return content
    place = rng.choice(places)
    other = rng.choice(places).group().strip(b'"') if words is None else rng.choice(words)
    if words is None and not quoted:
        other = rng.choice((other, b"-" + other.lstrip(b"-"), other + b"0", b"1", b"2", b"0.5", b"1e-9", b"1e9"))
    quote = b'"' if quoted else b""
    return content[: place.start()] + quote + other + quote + content[place.end() :]


def verdict(load: Callable[[Path], Any], path: Path) -> tuple[str, str]:
    """What became of a file: "read", "refused", or what must not be."""
    from linkwork.core.errors import LinkworkError

    begin = time.process_time()
    try:
        load(path)
        found = "read", ""
    except LinkworkError as error:
        found = ("refused", "") if str(error).strip() else ("silent", "")
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        found = "exception", f"{type(error).__name__}: {str(error)[:120]} ({Path(last.filename).name}:{last.lineno})"
    took = time.process_time() - begin
    return ("slow", f"{took:.2f} s") if took > SECONDS else found


def work(numbers: range, seed: int, answers: Any, keep: Path | None) -> None:
    """Read mutated files of these numbers; what is opened outside of the folder is a finding."""
    import linkwork as lw

    warnings.simplefilter("ignore")
    begin = seeds()
    opened: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="linkwork-fuzz-"))
    # What Python and the packages themselves open while they load is none of the file's doing.
    own = (str(folder), sys.prefix, sys.base_prefix, str(Path(lw.__file__).parent), "/dev/", "/proc/")

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event in ("os.system", "subprocess.Popen", "socket.connect", "os.exec"):
            opened.append(event)
        elif event == "open" and isinstance(args[0], str | os.PathLike) and not str(args[0]).startswith(own):
            opened.append(str(args[0]))

    for suffix, content in begin:  # whatever is imported on the way is imported now
        (folder / f"seed{suffix}").write_bytes(content)
        verdict(lw.load, folder / f"seed{suffix}")
    sys.addaudithook(watch)
    for number in numbers:
        rng = random.Random(f"{seed}-{number}")
        suffix, content = rng.choice(begin)
        content = mutated(content, rng, [c for s, c in begin if s == suffix])
        path = folder / f"file{suffix}"
        path.write_bytes(content)
        opened.clear()
        answers.put((number, "began", ""))
        kind, what = verdict(lw.load, path)
        if opened and kind != "exception":  # which is told with its line, for which the source is opened
            kind, what = "outside", opened[0]
        if keep is not None and kind not in ("read", "refused"):
            (keep / f"{seed}-{number}{suffix}").write_bytes(content)
        answers.put((number, kind, what))


def fuzz(files: int, seed: int, *, keep: Path | None = None) -> tuple[Counter[str], list[str]]:
    """Counts of verdicts, and what must not be; a process that dies or hangs is begun again behind its file."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    context = multiprocessing.get_context("spawn")
    number = 0
    while number < files:
        answers = context.Queue()
        process = context.Process(target=work, args=(range(number, files), seed, answers, keep))
        process.start()
        patience = 120.0  # to begin
        while number < files:
            try:
                at, kind, what = answers.get(timeout=patience)
            except Exception:
                dead = not process.is_alive()
                counts["crash" if dead else "hang"] += 1
                wrong.append(f"{'crash' if dead else 'hang'}: file {number} of seed {seed}")
                number += 1
                break
            patience = 20.0
            if kind == "began":
                continue
            counts[kind] += 1
            if kind not in ("read", "refused"):
                wrong.append(f"{kind}: file {at} of seed {seed}: {what}")
            number = at + 1
        process.terminate()
        process.join()
    return counts, wrong


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz.files", description=__doc__)
    options.add_argument("--files", type=int, default=500)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--keep", type=Path, help="folder for files that show something wrong")
    options.add_argument("--file", type=Path, help="where counts and findings go (JSON)")
    given = options.parse_args()
    counts, wrong = fuzz(given.files, given.seed, keep=given.keep)
    for text in wrong:
        print(text)
    print(f"{counts.total()} files: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    if given.file:
        given.file.write_text(json.dumps({"seed": given.seed, "counts": counts, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
