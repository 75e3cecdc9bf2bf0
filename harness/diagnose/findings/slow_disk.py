"""Threads wait for a disk, directly or through a thread that does; flushes are told apart."""

from collections.abc import Iterator

from harness.diagnose.evidence import SAMPLES, SWITCHES, counted, waited
from harness.diagnose.facts import Facts
from harness.diagnose.findings.disk_calls import FLUSHES, flush_cpu_ns
from harness.diagnose.findings.disk_queue import STAT, queueing_share
from harness.diagnose.readings.activity import DiskActivity
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.9
LEAST_FLUSH_SHARE = 0.5  # of the waits for a disk whose functions are known


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding for all waits for disks."""
    causes = facts.disk_causes
    if not causes:
        return
    # Waits for pages, and those behind other requests, are other findings.
    part = (1 - facts.paging_share) * (1 - queueing_share(facts))
    wait_ns = sum(cause.wait_ns for cause in causes) * part
    if facts.disk is not None:
        wait_ns -= facts.disk.submission_ns
    if wait_ns <= 0:
        return
    rows = [row for row in facts.waits.ended_waits if row.waker == "disk"]
    known_ns = sum(row.wait_ns for row in rows)
    flush_ns = sum(row.wait_ns for row in rows if _flushes(row.functions))
    is_flush = bool(known_ns) and flush_ns >= LEAST_FLUSH_SHARE * known_ns
    calls_ns = flush_cpu_ns(facts) if is_flush else 0.0
    direct = [group for group in facts.groups if _disk_ns(group.states_ns) > 0]
    direct.sort(key=lambda group: -_disk_ns(group.states_ns))
    threads = direct[0].name if direct else causes[0].chain[0].name
    reads = sum(group.states_ns["disk_read"] for group in facts.groups)
    writes = sum(group.states_ns["disk_write"] for group in facts.groups)
    verb = "flushes to" if is_flush else "reads from" if reads > writes else "writes to"
    where = [FindingPlace(kind="thread", name=threads)]
    functions = rows[0].functions if rows else ()
    where += [FindingPlace(kind="function", name=name) for name in functions[:3]]
    disk = _disk(facts)
    if disk is not None:
        where.append(FindingPlace(kind="disk", name=disk.name))
    if facts.probe is not None:
        where.append(FindingPlace(kind="directory", name=facts.probe.path))
    indirect = len(causes[0].chain) > 2
    others = f", and other threads wait for {threads}" if indirect else ""
    yield Finding(
        cause="fsync" if is_flush else "slow-disk",
        sentence=f"{threads} waits for {verb} a disk{others}.",
        cost_share=facts.share(wait_ns + calls_ns),
        largest_gain=facts.largest_gain(causes, part, with_system=True),
        confidence=CONFIDENCE,
        evidence=(
            waited(facts, "waits that end at a disk", wait_ns),
            *(
                [waited(facts, "CPU time in calls that flush", calls_ns, SAMPLES)]
                if calls_ns
                else []
            ),
            waited(facts, "waits for reads", reads, SWITCHES),
            waited(facts, "waits for writes", writes, SWITCHES),
            *_disk_evidence(facts),
        ),
        where=tuple(where),
        try_=(
            (
                "flush fewer times: several records with one fsync (group commit)",
                "do not hold a lock during fsync",
            )
            if is_flush
            else (
                "keep the data in memory, or read ahead of its use",
                "do not hold a lock during I/O; let a separate thread do it",
            )
        ),
        check="stallscope io probe DIR shows what the disk can do, stallscope io watch its use",
    )


def _disk_ns(states_ns: dict[str, int]) -> int:
    return states_ns["disk_read"] + states_ns["disk_write"]


def _flushes(functions: tuple[str, ...]) -> bool:
    return any(flush in name for name in functions for flush in FLUSHES)


def _disk(facts: Facts) -> DiskActivity | None:
    """Return the disk of --path, else the busiest one if a request completed on it."""
    if facts.machine is None:
        return None
    disk = facts.machine.disk(facts.machine.header.path_disks)
    return disk if disk is not None and disk.requests else None


def _disk_evidence(facts: Facts) -> Iterator[FindingEvidence]:
    disk = _disk(facts)
    if disk is not None:
        yield counted(f"time in which {disk.name} was busy", disk.busy_share, "share", STAT)
        for text, mean_ms in (("read", disk.mean_read_ms), ("write", disk.mean_write_ms)):
            if mean_ms is not None:
                yield counted(f"mean time of a {text} on {disk.name}", mean_ms * 1e3, "us", STAT)
    probe = facts.probe
    if probe is not None and probe.p50_us is not None:
        yield counted("median of a read beside the target", probe.p50_us, "us", "reads of --path")
