"""Requests wait in the disk's queue behind many others, more than the disk works on at a time."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, waited
from harness.diagnose.facts import Facts
from harness.diagnose.readings.activity import DiskActivity
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

LEAST_DEPTH = 24.0  # mean requests in flight; few disks need more for their full rate
USEFUL_DEPTH = 8.0  # requests that a disk may work on at a time, if it is not known
LEAST_BUSY = 0.5  # of the time
LEAST_QUEUEING = 3.0  # latency of a read beside the target over that of a read without a queue
WITH_PROBE, WITHOUT_PROBE = 0.85, 0.65
STAT = "/sys/block/DISK/stat"


def queueing_share(facts: Facts) -> float:
    """Return the part of the waits for disks, 0..1, that requests spend behind others."""
    disk = _disk(facts)
    if disk is None or disk.mean_in_flight is None:
        return 0.0
    if disk.mean_in_flight < LEAST_DEPTH or disk.busy_share < LEAST_BUSY:
        return 0.0
    probe = facts.probe
    if probe is not None and probe.p50_us and probe.idle_p50_us:
        queueing = probe.p50_us / probe.idle_p50_us
        return 1 - 1 / queueing if queueing >= LEAST_QUEUEING else 0.0
    return 1 - USEFUL_DEPTH / disk.mean_in_flight


def _disk(facts: Facts) -> DiskActivity | None:
    machine = facts.machine
    return None if machine is None else machine.disk(machine.header.path_disks)


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if the target waits for a disk that has a deep queue."""
    causes = facts.disk_causes
    part = queueing_share(facts)
    disk = _disk(facts)
    if not causes or not part or disk is None or disk.mean_in_flight is None:
        return
    wait_ns = sum(cause.wait_ns for cause in causes) * (1 - facts.paging_share)
    probed = facts.probe is not None and facts.probe.idle_p50_us is not None
    yield Finding(
        cause="disk-queue",
        sentence=(
            f"The queue of {disk.name} is too deep: {disk.mean_in_flight:.0f} requests are in "
            "flight, and a new one waits behind them."
        ),
        cost_share=facts.share(part * wait_ns),
        largest_gain=_largest_gain(facts, disk.mean_in_flight),
        confidence=WITH_PROBE if probed else WITHOUT_PROBE,
        evidence=tuple(_evidence(facts, disk, part * wait_ns)),
        where=(
            FindingPlace(kind="disk", name=disk.name),
            *(
                FindingPlace(kind="thread", name=cause.chain[0].name)
                for cause in causes[:1]
                if cause.chain
            ),
        ),
        try_=(
            (
                "submit fewer requests at a time: stallscope io curve DIR shows the depth that the "
                "disk needs for its full rate"
            ),
            (
                "limit the queue or the writers: stallscope io queue DIR shows nr_requests, the "
                "scheduler and writeback throttling; io.max or io.latency of the other cgroup"
            ),
        ),
        check="the mean number of requests in flight (aqu-sz of iostat -x) and the latency fall "
        "while the rate stays",
    )


def _largest_gain(facts: Facts, mean_in_flight: float) -> float | None:
    """Return the gain of a thread whose requests wait behind no other.

    Of N requests in flight each takes at least an Nth of the time, even if the disk works on one at
    a time (Little's law).
    """
    part = (1 - facts.paging_share) * (1 - 1 / max(1.0, mean_in_flight))
    return facts.largest_gain(facts.disk_causes, part, with_system=True)


def _evidence(facts: Facts, disk: DiskActivity, cost_ns: float) -> Iterator[FindingEvidence]:
    assert disk.mean_in_flight is not None
    yield waited(facts, "waits for the disk behind other requests", cost_ns)
    yield counted("requests in flight, mean while busy", disk.mean_in_flight, "requests", STAT)
    yield counted("requests in flight, most", disk.max_in_flight, "requests", STAT)
    yield counted("time with a request in flight", disk.busy_share, "share", STAT)
    if disk.mean_ms is not None:
        yield counted("mean time of a request", disk.mean_ms * 1e3, "us", STAT)
    probe = facts.probe
    if probe is not None and probe.p50_us is not None:
        yield counted("median of a read beside the target", probe.p50_us, "us", "reads of --path")
    if probe is not None and probe.idle_p50_us is not None:
        yield counted(
            "median of a read without other requests", probe.idle_p50_us, "us", "reads of --path"
        )
