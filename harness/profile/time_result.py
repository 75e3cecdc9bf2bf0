"""Parts of a profile's document about time: periods that differ, wakers and idle pools."""

from typing import TYPE_CHECKING

from stallscope.documents import Amount, Count, Record, Share
from stallscope.printable import printable

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis
    from harness.profile.off_cpu import OffCpuFacts

WAKERS_LISTED = 200


class DifferingPeriod(Record, frozen=True, kw_only=True):
    """A period, in seconds since the first sample, in which a function is hot in it alone.

    Shares are of samples, of the function with its callees.
    """

    begin_s: Amount
    end_s: Amount
    function: str
    module: str
    inside_share: Share
    overall_share: Share
    samples: Count  # of all functions, in the period


class WakerTime(Record, frozen=True, kw_only=True):
    """Waits of threads of a name in the same functions (innermost first) with the same end.

    ``waker_functions``: of the thread that ended the waits, innermost first; empty if not recorded.
    """

    functions: tuple[str, ...]
    thread: str
    waker: str
    wait_ns: Count
    waits: Count
    waker_functions: tuple[str, ...] = ()


class ProfileIdlePool(Record, frozen=True, kw_only=True):
    """Threads without work, which the profile leaves out, and the rule."""

    process: str
    name: str
    threads: Count
    wall_ns: Count
    place: str
    rule: str


def differing_periods(analysis: "Analysis") -> tuple[DifferingPeriod, ...]:
    """Return the periods that differ, the clearest first."""
    functions = analysis.profile.functions
    return tuple(
        DifferingPeriod(
            begin_s=burst.begin_ns / 1e9,
            end_s=burst.end_ns / 1e9,
            function=functions[burst.function].name,
            module=functions[burst.function].module,
            inside_share=burst.inside,
            overall_share=burst.overall,
            samples=burst.samples,
        )
        for burst in analysis.bursts
    )


def waker_times(facts: "OffCpuFacts") -> tuple[WakerTime, ...]:
    """Return the longest waits by waker, the longest first."""
    return tuple(
        WakerTime(
            functions=tuple(printable(name) for name in share.chain),
            thread=printable(share.thread),
            waker=printable(share.waker),
            wait_ns=share.wait_ns,
            waits=share.waits,
            waker_functions=tuple(printable(name) for name in share.waker_chain),
        )
        for share in facts.wakers[:WAKERS_LISTED]
    )


def profile_idle_pools(facts: "OffCpuFacts") -> tuple[ProfileIdlePool, ...]:
    """Return the idle pools."""
    return tuple(
        ProfileIdlePool(
            process=printable(pool.process),
            name=printable(pool.name),
            threads=pool.threads,
            wall_ns=pool.wall_ns,
            place=printable(pool.place),
            rule=pool.rule,
        )
        for pool in facts.pools
    )
