"""Imported once by the process that workers are forked from, so that a new tab has all of this at once.

It has one thread when it is forked: nothing here may start another.
"""

from __future__ import annotations

import contextlib
import warnings
from importlib import import_module
from pathlib import Path

from linkwork.core import registry

MODULES = (
    "linkwork.examples",
    "linkwork.files.models.saving",
    "linkwork.formulations.minimal",
    "linkwork.geometry.functions",
    "linkwork.simulation.simulate",
    "linkwork.studio.server.verbs.editing",
    "linkwork.studio.server.verbs.opening",
    "linkwork.studio.server.verbs.running",
    "linkwork.studio.server.worker",
)
PENDULUM = """linkwork = 1
[model]
name = "pendulum"
[component.bar]
type = "body"
mass = 1
inertia = 1
[component.O]
type = "revolute"
first = "ground.at(0, 0)"
second = "bar.at(-0.5, 0)"
"""
"""Looked over once, so that what is needed for that is loaded."""

for module in MODULES:
    import_module(module)
for word in registry.components:
    registry.components.get(word)
with contextlib.suppress(Exception), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import_module("linkwork.studio.server.mechanism").mechanism_of(PENDULUM, Path(), None)
