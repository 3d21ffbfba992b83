"""Comparisons as JSON (everything but the motions) and CSV (one row per run)."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

from linkwork.analyses.comparison.comparison import Comparison, from_dict
from linkwork.analyses.comparison.report import flat
from linkwork.core.errors import LinkworkError
from linkwork.files import checksum
from linkwork.files.atomic import replacing
from linkwork.files.damage import Damaged

SUFFIXES = (".json", ".csv")


def save(comparison: Comparison, file: str | os.PathLike[str]) -> None:
    """Write a file whole or not at all; the suffix chooses the format: .json or .csv."""
    path = Path(file)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        remedy = f"Use one of: {', '.join(SUFFIXES)}."
        raise LinkworkError(f"the suffix {path.suffix!r} is not known.", component=str(path), remedy=remedy)
    with replacing(path) as draft:
        if suffix == ".json":
            content = comparison.to_dict()
            content["checksum"] = checksum.of_content(content)
            text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
            draft.write_text(text + "\n", encoding="utf-8")
        else:
            rows = [flat(run) for run in comparison.runs]
            with draft.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.DictWriter(stream, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)


def load(file: str | os.PathLike[str]) -> Comparison:
    """Read a comparison from JSON; its `results` are empty, because files hold the numbers, not the motions."""
    path = Path(file)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        checksum.compare(content.pop("checksum"), checksum.of_content(content))
        return from_dict(content)
    except OSError as error:
        raise LinkworkError(f"cannot be read: {error.strerror or error}.", component=str(path)) from error
    except Damaged as error:
        remedy = "Save the comparison again."
        raise LinkworkError(f"is not a whole comparison: {error}.", component=str(path), remedy=remedy) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = "Give a .json file written by Comparison.save."
        raise LinkworkError("is not a comparison.", component=str(path), remedy=remedy) from error


Comparison.register("save", save)
Comparison.register("load", staticmethod(load))
