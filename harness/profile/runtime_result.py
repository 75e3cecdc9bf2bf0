"""Managed runtimes in the result of a profile: samples with names, and the others by reason."""

from typing import TYPE_CHECKING

from stallscope.documents import Count, Record

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis


class RuntimeResult(Record, frozen=True, kw_only=True):
    """Samples of the processes of a managed runtime, CPython included.

    ``named``: samples whose managed frames all have names; ``failed``: the others by reason.
    ``tiers``: samples by the kind of code of the innermost managed frame. ``works``: samples of the
    virtual machine's own threads (collectors, compilers, safepoints), by what they do.
    """

    name: str
    version: str
    samples: Count
    named: Count
    failed: dict[str, Count]
    tiers: dict[str, Count]
    works: dict[str, Count]


def runtime_results(analysis: "Analysis") -> tuple[RuntimeResult, ...]:
    """Return the samples of each runtime, by what was read."""
    results = [
        RuntimeResult(
            name=shares.name,
            version=shares.version,
            samples=shares.samples,
            named=shares.named,
            failed=shares.failed,
            tiers=shares.tiers,
            works=shares.works,
        )
        for shares in analysis.runtimes
    ]
    python = analysis.python
    if python is not None and python.samples:
        failed = {"moved-on": python.moved_on, "unread": python.unread}
        results.append(
            RuntimeResult(
                name="cpython",
                version=", ".join(python.versions),
                samples=python.samples,
                named=python.framed + python.native,
                failed={reason: count for reason, count in failed.items() if count},
                tiers={},
                works={},
            )
        )
    return tuple(results)
