"""Rates of first-order states in a schedule: states of components by themselves, accounts of work as sums."""

from __future__ import annotations

import numpy as np

from linkwork.large.groups import Group, Tables
from linkwork.large.schedule import Schedule


class Rates:
    """Where the rates of all first-order states are."""

    def __init__(self, schedule: Schedule, tables: Tables):
        self.schedule, self.tables, shared = schedule, tables, len(tables.accounts)
        self._work = schedule.room(shared)
        schedule.zero(self._work, shared)
        self.places = np.full(tables.nz, -1, dtype=np.int64)
        self.places[tables.nz - shared :] = self._work + np.arange(shared)

    def put(self, group: Group, states: list[int], given: np.ndarray) -> None:
        """What a kernel gave of a group: its own states keep their rates, those of work are summed up."""
        kind = group.kind
        own = {k: n for n, k in enumerate(kind.own_states)}
        names = {k: name for name, k in kind.accounts.items()}
        for column, k in enumerate(states):
            if k in own:
                self.places[group.states[:, own[k]]] = given[:, column]
            else:
                target = self._work + self.tables.accounts.index(names[k])
                self.schedule.add(np.full(len(group.members), target), given[:, column])
