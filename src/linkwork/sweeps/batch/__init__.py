"""Many cases of one program at once, whatever computes them."""

from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem, CaseTable, make_batch, refusal

__all__ = ["BatchOutcome", "BatchProblem", "CaseTable", "make_batch", "refusal"]
