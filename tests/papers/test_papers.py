"""The page of the five papers lists what is run, and what is run keeps its bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.core import registry

from .__main__ import main
from .audit import Item, off, run, same
from .items import ITEMS
from .page import cells, rows_of_page

SOURCE = Path(__file__).parents[2] / "src" / "linkwork"
QUICK = [x for x in ITEMS if x.check is not None and not x.slow]
SAMPLE = QUICK[::12]


def named(x: Item) -> str:
    return f"{x.paper} {x.number} {x.check.__name__ if x.check else ''}"


def test_page_lists_the_items():
    assert rows_of_page() == [cells(x) for x in ITEMS], "run make papers"


def test_items_are_told_apart_and_whole():
    assert len({(x.paper, x.number, x.what) for x in ITEMS}) == len(ITEMS)
    assert all((x.check is None) <= bool(x.reason) for x in ITEMS)
    assert not any("|" in text for x in ITEMS for text in (x.number, x.what, x.where, x.reason))


@pytest.mark.parametrize("where", sorted({w.strip() for x in ITEMS for w in x.where.split(",")} - {"–"}))
def test_code_is_where_it_is_said_to_be(where):
    kind, _, name = where.partition(".")
    if kind == "m":
        assert name in registry.components or name in registry.verbs or hasattr(lw.Model, name)
    elif kind == "lw":
        assert hasattr(lw, name)
    else:
        assert (SOURCE / where).is_file()


@pytest.mark.parametrize("item", SAMPLE, ids=named)
def test_quick_items_keep_their_bounds(item):
    (found,) = run([item])
    assert found.kept, found.finding


@pytest.mark.slow
@pytest.mark.parametrize("item", [x for x in ITEMS if x.check is not None], ids=named)
def test_every_item_keeps_its_bound(item):
    (found,) = run([item])
    assert found.kept, found.finding


@pytest.mark.parametrize("broken", [lambda: off(2.0, 1.0, "m", "too far"), lambda: same(1, 2, "found"), lambda: 1 / 0])
def test_a_broken_item_fails_the_script_and_leaves_the_page(broken, tmp_path, capsys):
    page = tmp_path / "papers.md"
    page.write_text("as it was", "utf-8")
    good = replace(QUICK[0], check=lambda: off(0.5, 1.0, "m", "near"))
    assert main([good, replace(good, check=broken)], page) == 1
    assert page.read_text("utf-8") == "as it was" and good.what in capsys.readouterr().err
    assert main([good], page) == 0 and "near 5.0e-01 m (bound 1)" in page.read_text("utf-8")


def test_not_a_number_is_not_within_bounds():
    assert not off(float("nan"), 1.0, "", "nothing").kept
