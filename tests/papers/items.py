"""All items of the five papers: each file registers those of one paper, or of a part of it."""

from importlib import import_module

from .audit import ITEMS

FILES = (
    *("ame", "ame_loops", "prt", "prt_chains", "bnd_model", "bnd_methods", "bnd_cases"),
    *("sym", "sym_newmark", "sym_examples", "aca", "aca_vehicles"),
)
"""In the order of the page."""

for _name in FILES:
    import_module(f".{_name}", __package__)

__all__ = ["ITEMS"]
