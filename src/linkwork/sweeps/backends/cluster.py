"""Dask: workers on this machine or on many, which a scheduler looks after."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from linkwork.core.errors import LinkworkError
from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = threading.Lock()
"""Workers may have several threads, which then share the study."""
PATIENCE = 10.0
"""s within which a scheduler must answer."""
AHEAD = 4
"""Batches per worker that are submitted before they are needed: what is on its way stays bounded."""
BATCH_SHARE = 20
BATCH_LIMIT = 50


class Dask(Backend):
    """On an existing scheduler, by its address or `distributed.Client`; else on processes of this machine.

    The scheduler gives what a dead worker had to do to others. What has arrived here is kept, whatever dies.
    """

    name: ClassVar[str] = "dask"

    def __init__(self, workers: int | None = None, cluster: object = None):
        super().__init__(workers)
        self._cluster = cluster

    def __str__(self) -> str:
        return f"dask, {self._cluster}" if isinstance(self._cluster, str) else "dask"

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        distributed = _imported()
        pickle.dumps(study.model)  # which says what cannot be sent, and why
        with self._client(distributed) as client:
            count = max(len(client.scheduler_info()["workers"]), 1)
            size = max(1, min(BATCH_LIMIT, len(cases) // (BATCH_SHARE * count)))
            batches = [list(cases[k : k + size]) for k in range(0, len(cases), size)]
            sent = client.scatter(study, broadcast=True, hash=False)
            asked: dict[str, list[int]] = {}
            coming = distributed.as_completed(with_results=False)

            def submit() -> None:
                if batches:
                    batch = batches.pop(0)
                    future = client.submit(_answers, sent, batch, pure=False)
                    asked[future.key] = batch
                    coming.add(future)

            for _ in range(AHEAD * count):
                submit()
            for future in coming:
                for case, outcome in self._outcomes(distributed, study, future, asked.pop(future.key)):
                    deliver(case, outcome)
                future.release()
                submit()

    def _outcomes(self, distributed: Any, study: Study, future: Any, batch: list[int]) -> list[tuple[int, Outcome]]:
        try:
            outcomes: list[tuple[int, Outcome]] = future.result()
        except distributed.KilledWorker:
            return [(case, study.failed("the workers that ran it, or its neighbours, died.")) for case in batch]
        return outcomes

    @contextmanager
    def _client(self, distributed: Any) -> Iterator[Any]:
        if isinstance(self._cluster, distributed.Client):
            yield self._cluster
            return
        if self._cluster is not None:
            try:
                client = distributed.Client(self._cluster, timeout=PATIENCE)
            except OSError as error:
                raise LinkworkError(
                    f"no scheduler answers: {error}.", component=str(self._cluster),
                    remedy="Start one with `dask scheduler`, or leave the address out.",
                ) from error  # fmt: skip
            with client:
                yield client
            return
        with (
            distributed.LocalCluster(
                n_workers=self.workers, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def is_cluster(given: object) -> bool:
    """An address of a scheduler, or a client of one."""
    return (isinstance(given, str) and "://" in given) or type(given).__module__.startswith("distributed.")


def _answers(study: Study, cases: list[int]) -> list[tuple[int, Outcome]]:
    """On a worker; the study stays there, with what it has compiled."""
    return [(case, study.run(case, lock=_lock)) for case in cases]


def _imported() -> Any:
    try:
        import distributed
    except ImportError:
        raise LinkworkError(
            "Dask is not installed.", component="backend='dask'", remedy="pip install 'linkwork[dask]'."
        ) from None
    return distributed
