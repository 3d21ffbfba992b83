"""Who runs the cases: one file each. `choose` picks one by what a case costs."""

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.backends.choice import BACKENDS, Pilot, choose, named

__all__ = ["BACKENDS", "Backend", "Deliver", "Pilot", "choose", "named"]
