"""Many cases in the lanes of the processor's vector registers."""

from linkwork.sweeps.lanes.run import outputs_of, run_batch

__all__ = ["outputs_of", "run_batch"]
