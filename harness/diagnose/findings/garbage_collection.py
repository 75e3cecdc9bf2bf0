"""CPU time goes into the garbage collection of a runtime."""

from collections.abc import Iterator

from harness.diagnose.evidence import largest_gain_of_samples, sampled, waited
from harness.diagnose.facts import RUNNING, Facts, gain_without, larger_gain
from harness.diagnose.findings.blockers import blockers
from harness.diagnose.findings.collector_threads import collector_groups
from harness.diagnose.findings.own_queue import collection_share, own_queue_ns
from harness.diagnose.result import Finding, FindingPlace

CERTAIN, UNCERTAIN = 0.9, 0.6
LEAST_RUNNING = 0.1  # of the wall time of a thread that takes part in the work


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per process and collector."""
    rows = facts.cpu.collections if facts.cpu is not None else ()
    # Threads of the program are queued behind those that collect, and these behind each other.
    queued_ns = collection_share(facts) * own_queue_ns(facts)
    whole = sum(row.share for row in rows)
    for row in rows:
        waits_ns = _waits_ns(facts, collector_groups(facts, row.pid))
        cpu_ns = row.share * facts.running_ns + (queued_ns * row.share / whole if whole else 0.0)
        cost = max(facts.share(cpu_ns + waits_ns), _share(facts, cpu_ns))
        collector = " ".join(part for part in (row.runtime, row.collector) if part)
        phase = f", most of it {row.phase}" if row.phase else ""
        yield Finding(
            cause="garbage-collection",
            sentence=(
                f"{row.process_share:.0%} of the CPU time of {row.process_name} is garbage "
                f"collection ({collector}{phase})."
            ),
            cost_share=cost,
            largest_gain=larger_gain(
                larger_gain(gain_without(cost), largest_gain_of_samples(facts, row.process_share)),
                _gain_of_allocating_thread(facts, row.pid),
            ),
            confidence=CERTAIN if row.certain else UNCERTAIN,
            evidence=(
                sampled(
                    facts,
                    "share of CPU time",
                    row.share,
                    "CPU samples: threads and functions of the collector",
                ),
                waited(facts, "waits that end at threads of the collector", waits_ns),
            ),
            where=(FindingPlace(kind="process", name=f"{row.process_name} ({row.pid})"),),
            try_=(
                "allocate less: stallscope flame RUN shows the functions above the collector",
                "give the runtime a larger heap, so that it collects less often",
            ),
            check="the runtime's own log of collections (-Xlog:gc, --trace-gc, GODEBUG=gctrace=1)",
        )


def _gain_of_allocating_thread(facts: Facts, pid: int) -> float | None:
    """Return the gain of a thread that runs all of the program's own code without collections.

    New memory costs page faults and calls, in the collection and beside it.
    """
    assert facts.cpu is not None
    own = sampled(facts, "", facts.cpu.program_shares.get(pid, 0.0))
    own_ns = (own.value if own.low is None else own.low) * facts.running_ns
    wall_ns = max((row.wall_ns for row in facts.waits.threads if row.pid == pid), default=0)
    return gain_without(max(0.0, 1 - own_ns / wall_ns)) if wall_ns else 1.0


def _waits_ns(facts: Facts, groups: frozenset[str]) -> int:
    """Return the waits that end at threads of the collector."""
    rows = (*blockers(facts, by_lock=False), *blockers(facts, by_lock=True))
    return sum(row.wait_ns for row in rows if row.name.rpartition("/")[2] in groups)


def _share(facts: Facts, time_ns: float) -> float:
    """Return a part of the wall time of the threads that run.

    A runtime has more threads for its collector, which wait between collections.
    """
    running_ns = sum(
        row.wall_ns
        for row in facts.waits.threads
        if sum(row.states_ns[state] for state in RUNNING) >= LEAST_RUNNING * row.wall_ns
    )
    return min(1.0, time_ns / running_ns) if running_ns else facts.share(time_ns)
