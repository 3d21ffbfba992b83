"""How much memory the machine has left."""

from __future__ import annotations

import os


def free_memory() -> float:
    """Bytes; infinite where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            facts = dict(line.split(":", 1) for line in file)
        return 1024.0 * float(facts["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")
