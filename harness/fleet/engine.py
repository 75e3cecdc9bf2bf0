"""The same function over many parts: in this process, or by the workers of Dask distributed.

Results come in the order of the parts, so that both engines give equal answers. A part that fails,
or whose worker is lost, costs that part only and is named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from stallscope.errors import StallscopeError, UnableError, UsageError

Item = TypeVar("Item")
Value = TypeVar("Value")
_CONNECT_S = 10


@dataclass(frozen=True, slots=True)
class PartFailure:
    """A part that has no result, and why."""

    position: int
    error: str


@dataclass(frozen=True, slots=True)
class PartResults(Generic[Value]):
    """The results of the parts that have one, in order, and the others."""

    values: tuple[Value, ...]
    failures: tuple[PartFailure, ...]


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[Value]):
    value: Value | None
    error: str = ""


def map_parts(
    function: Callable[[Item], Value], items: Sequence[Item], scheduler: str | None = None
) -> PartResults[Value]:
    """Return the results of a function for each item.

    ``scheduler``: None for this process, "local" for a cluster of processes on this machine, or the
    address of a Dask scheduler. Raises UnableError if it cannot be reached.
    """
    run = Guarded(function)
    if scheduler is None:
        return part_results([run(item) for item in items])
    return part_results(_run_on_cluster(run, items, scheduler))


class Guarded(Generic[Item, Value]):
    """A function whose errors are values."""

    def __init__(self, function: Callable[[Item], Value]) -> None:
        self._function = function

    def __call__(self, item: Item) -> _Outcome[Value]:
        """Return the outcome of an item."""
        try:
            return _Outcome(self._function(item))
        except StallscopeError as error:
            return _Outcome(None, error.message)
        except OSError as error:
            return _Outcome(None, str(error))
        except Exception as error:  # noqa: BLE001 - a damaged part must not end the query
            return _Outcome(None, f"{type(error).__name__}: {error}")


def part_results(outcomes: Sequence[_Outcome[Value]]) -> PartResults[Value]:
    """Return the values and the failures of outcomes, in order."""
    return PartResults(
        tuple(outcome.value for outcome in outcomes if outcome.value is not None),
        tuple(
            PartFailure(position, outcome.error or "it has no result")
            for position, outcome in enumerate(outcomes)
            if outcome.value is None
        ),
    )


def _run_on_cluster(
    run: Callable[[Item], _Outcome[Value]], items: Sequence[Item], scheduler: str
) -> list[_Outcome[Value]]:
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise UnableError(
            "--scheduler needs Dask distributed, which is not installed",
            "pip install 'stallscope[cluster]'",
        ) from error
    if scheduler == "local":
        with (
            LocalCluster(  # type: ignore[no-untyped-call]
                dashboard_address=None, threads_per_worker=1
            ) as cluster,
            Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            return gathered(client, run, items)
    if not scheduler.startswith(("tcp://", "tls://", "inproc://")):
        raise UsageError(
            f"{scheduler} is not the address of a scheduler",
            "for example tcp://HOST:8786, or local",
        )
    try:
        client = Client(scheduler, timeout=_CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError) as error:
        raise UnableError(
            f"the scheduler {scheduler} does not answer", "start it with: dask scheduler"
        ) from error
    with client:
        return gathered(client, run, items)


def gathered(
    client: object, run: Callable[[Item], _Outcome[Value]], items: Sequence[Item]
) -> list[_Outcome[Value]]:
    """Return the outcome of each item; that of a lost worker is an error."""
    futures = client.map(run, items, pure=False)  # type: ignore[attr-defined]
    outcomes: list[_Outcome[Value]] = []
    for future in futures:
        try:
            outcomes.append(future.result())
        except Exception as error:  # noqa: BLE001 - KilledWorker, and errors of the transport
            outcomes.append(_Outcome(None, f"its worker was lost: {type(error).__name__}: {error}"))
    return outcomes
