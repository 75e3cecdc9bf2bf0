"""The known answers of `stallscope diagnose`: a program per cause, and healthy controls.

Words of a command: "kernels" is stallscope-kernels, "work" is harness.labs.diagnose.work, "node"
runs a script of this folder. {file} is a file on the disk of temporary files, {disk} a loop device
over a disk of known speed, {first} and {last} are CPUs.
"""

from dataclasses import dataclass, replace

Words = tuple[str, ...]
LIVE, REPLAYED, NOT_SHOWN, CONTROL = "live", "replayed", "not shown", "control"
MEASURED, MODELLED = "measured", "modelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A program with a known first cause; "" for a control.

    ``distractor``: the harmless symptom in it or beside it. ``beside``: a program that runs during
    all runs of the entry. ``also``: further true causes of the program, ``look_alike_causes`` and
    ``cured_causes``: true ones of the variants. ``threads``: name of the threads whose rate is
    compared; "" for all.
    """

    name: str
    cause: str
    kind: str = LIVE
    program: Words = ()
    look_alike: Words = ()
    cured: Words = ()
    distractor: str = ""
    beside: Words = ()
    also: tuple[str, ...] = ()
    look_alike_causes: tuple[str, ...] = ()
    cured_causes: tuple[str, ...] = ()
    threads: str = ""
    source: str = MEASURED
    disk_service_us: int = 2000  # of a request, of the disk of known speed
    reason: str = ""

    @property
    def uses_disk(self) -> bool:
        """Return whether a disk of known speed is needed."""
        return any("{disk}" in word for word in (*self.program, *self.beside))


def kernel(name: str, *options: str) -> Words:
    """Return the words of a program of stallscope-kernels."""
    return ("kernels", name, "--json", *options)


POOL, POLLER = ("--beside", "idle-pool"), ("--beside", "poller")
POOL_TEXT, POLLER_TEXT = "16 idle threads in futexes", "a thread that polls 2,000 times per second"
SCAN = ("work", "scan", "{file}.scan", "--cpu", "{last}")
SCAN_TEXT = "a process that reads a cached file on the last CPU"
NEIGHBOUR = kernel("mixed-generators", "--cpus", "{last}")
NEIGHBOUR_TEXT = "a busy process on the other CPU"
OWN_CPU = ("--cpus", "{first}")
ON_FIRST = ("taskset", "-c", "{first}")

# Megabytes of half of the young generation: less than the live objects, or much more.
SMALL_HEAP = ("--max-semi-space-size=1",)
LARGE_HEAP = ("--min-semi-space-size=64", "--max-semi-space-size=64")

_MEASURED = (
    Entry(
        name="lock-hog",
        cause="user-lock",
        distractor=POOL_TEXT,
        threads="victim",
        program=kernel("lock-hog", "--threads", "2", *POOL),
        look_alike=kernel("lock-hog", "--look-alike", "--threads", "2", *POOL),
        cured=kernel("lock-hog", "--cured", "--threads", "2", *POOL),
    ),
    Entry(
        name="search-under-lock",
        cause="user-lock",
        program=kernel("o-n-critical-section", *POLLER),
        cured=kernel("o-n-critical-section", "--look-alike", *POLLER),
        look_alike=kernel("lock-hog", "--look-alike", *POLLER),
        distractor=POLLER_TEXT,
        also=("lock-convoy", "run-queue"),
        cured_causes=("lock-convoy", "run-queue", "system-call-storm", "user-lock"),
    ),
    Entry(
        name="herd",
        cause="thundering-herd",
        program=kernel("thundering-herd", *POOL),
        cured=kernel("thundering-herd", "--cured", *POOL),
        look_alike=kernel("condition-herd", "--look-alike", *POOL),
        distractor=POOL_TEXT,
        also=("run-queue", "system-call-storm"),
        look_alike_causes=("run-queue", "single-threaded-stage", "user-lock"),
    ),
    Entry(
        name="spin-convoy",
        cause="spinning",
        program=kernel("spin-convoy", *POOL),
        cured=kernel("spin-convoy", "--look-alike", *POOL),
        look_alike=kernel("oversubscribed", *POOL),
        distractor=POOL_TEXT,
        also=("run-queue",),
        look_alike_causes=("run-queue",),
        cured_causes=("run-queue",),
    ),
    Entry(
        name="slow-middle-stage",
        cause="single-threaded-stage",
        distractor=POOL_TEXT,
        # Of the first stage, which is slow there; and its threads share one CPU.
        look_alike_causes=("single-threaded-stage", "run-queue"),
        cured_causes=("run-queue",),  # all three stages compute, with fewer CPUs
        threads="last",
        program=kernel("pipeline-slow-middle", *POOL),
        cured=kernel("pipeline-slow-middle", "--cured", *POOL),
        look_alike=kernel("short-and-long-waits", *POOL),
    ),
    Entry(
        name="oversubscribed",
        cause="run-queue",
        program=kernel("oversubscribed", "--threads", "8", *POOL),
        cured=kernel("oversubscribed", "--threads", "2", *POOL),
        look_alike=kernel("oversubscribed", "--look-alike", *POOL),
        distractor=POOL_TEXT,
    ),
    Entry(
        name="quota",
        cause="cgroup-throttling",
        distractor=POOL_TEXT,
        look_alike_causes=("run-queue",),
        program=kernel("cgroup-throttled", *POOL),
        look_alike=kernel("cgroup-throttled", "--look-alike", *POOL),
        cured=kernel("cgroup-throttled", "--cured", *POOL),
    ),
    Entry(
        name="slow-peer",
        cause="slow-peer",
        distractor=POOL_TEXT,
        threads="client",
        program=kernel("slow-peer", *POOL),
        look_alike=kernel("slow-peer", "--look-alike", *POOL),
        cured=kernel("slow-peer", "--cured", *POOL),
    ),
    Entry(
        name="page-faults",
        cause="page-faults",
        program=("work", "faults", "{file}", *POOL),
        cured=("work", "faults", "{file}", "--cured", *POOL),
        look_alike=("work", "calls", "{file}", *POOL),
        look_alike_causes=("system-call-storm",),
        distractor=POOL_TEXT,
    ),
    Entry(
        name="small-calls",
        cause="system-call-storm",
        program=kernel("byte-reads", *POLLER),
        cured=kernel("byte-reads", "--cured", *POLLER),
        look_alike=("work", "scan", "{file}", *POLLER),
        distractor=POLLER_TEXT,
    ),
    Entry(
        name="direct-reads",
        cause="slow-disk",
        program=("work", "read", "{disk}", *POOL),
        cured=("work", "read", "{disk}", "--cured", *POOL),
        look_alike=("work", "pause", "{disk}", *POOL),
        distractor=POOL_TEXT,
    ),
    Entry(
        name="flush-per-record",
        cause="fsync",
        program=("work", "flush", "{file}", *POOL),
        cured=("work", "flush", "{file}", "--cured", *POOL),
        look_alike=("work", "read", "{file}", *POOL),
        distractor=POOL_TEXT,
        look_alike_causes=("slow-disk",),
        cured_causes=("fsync",),
    ),
    Entry(
        name="deep-queue",
        cause="disk-queue",
        disk_service_us=8000,  # few requests per second, so that threads hardly compute
        threads="reader",
        program=kernel("deep-queue", "--path", "{disk}"),
        cured=kernel("deep-queue", "--cured", "--path", "{disk}"),
        look_alike=kernel("deep-queue", "--look-alike", "--path", "{disk}"),
        distractor=SCAN_TEXT,
        beside=SCAN,
        also=("slow-disk",),
        look_alike_causes=("slow-disk",),
        cured_causes=("slow-disk",),
    ),
    Entry(
        name="full-queue",
        cause="submission-stalls",
        disk_service_us=8000,
        program=("work", "submit", "{disk}", *POOL),
        cured=("work", "submit", "{disk}", "--cured", *POOL),
        look_alike=("work", "read", "{disk}", *POOL),
        distractor=POOL_TEXT,
        look_alike_causes=("slow-disk",),
    ),
    Entry(
        name="mapped-file",
        cause="paging",
        program=kernel("mapped-file-faults", *POOL),
        cured=kernel("mapped-file-faults", "--look-alike", *POOL),
        look_alike=("work", "faults", "{file}", *POOL),
        distractor=POOL_TEXT,
        also=("page-faults",),
        look_alike_causes=("page-faults",),
    ),
    Entry(
        name="allocations",
        cause="garbage-collection",
        program=("node", *SMALL_HEAP, "allocations.js"),
        cured=("node", *LARGE_HEAP, "allocations.js"),
        look_alike=("node", *SMALL_HEAP, "allocations.js", "compute"),
        cured_causes=("garbage-collection",),  # far less of it
        distractor="a process that polls 2,000 times per second",
        beside=("work", "pause", "{file}", *POLLER),  # a scan would use a CPU of the collector
    ),
)


def _modelled(
    name: str, cause: str, program: Words, cured: Words, also: tuple[str, ...] = ()
) -> Entry:
    """Return an entry whose slots are modelled; the cured variant is the look-alike as well."""
    return Entry(
        name=name,
        cause=cause,
        source=MODELLED,
        program=program,
        cured=cured,
        look_alike=cured,
        distractor=SCAN_TEXT,
        beside=SCAN,
        also=also,
    )


def _counted(name: str, iterations: int, *options: str) -> Words:
    return kernel(name, "--iterations", str(iterations), *options, *OWN_CPU)


_MODELLED = (
    _modelled(
        "random-branches",
        "mispredictions",
        _counted("random-branches", 30_000_000),
        _counted("periodic-branches", 30_000_000),
    ),
    replace(
        _modelled(
            "pointer-chase",
            "memory-latency",
            _counted("pointer-chase-dram", 3_000_000),
            _counted("pointer-chase-dram", 3_000_000, "--cured"),
            also=("page-faults",),  # it fills its memory first
        ),
        look_alike=_counted("dependent-chain", 10_000_000),  # waits for additions instead
        look_alike_causes=("execution-units",),
        cured_causes=("memory-latency", "memory-bandwidth", "page-faults"),  # and a far higher rate
    ),
    replace(
        _modelled(
            "divisions",
            "execution-units",
            _counted("divide-chain", 160_000_000),
            _counted("divide-chain", 160_000_000, "--cured"),
        ),
        look_alike=_counted("independent-adds", 40_000_000),
        cured_causes=("execution-units",),  # multiplications have one unit, and take some cycles
    ),
    replace(
        _modelled(
            "jumps",
            "front-end",
            _counted("large-branchy-code", 10_000),
            _counted("large-branchy-code", 10_000, "--cured"),
        ),
        look_alike=_counted("random-branches", 30_000_000),  # as many branches, little code
        look_alike_causes=("mispredictions",),
        cured_causes=("front-end",),  # a jump ends what is fetched together
    ),
)
_CONTROLS = tuple(
    Entry(name=name, cause="", kind=CONTROL, program=program, distractor=distractor, beside=beside)
    for name, program, distractor, beside in (
        ("computes", kernel("mixed-generators", *POOL), POOL_TEXT, ()),
        ("computes-and-polls", kernel("multiply-chain", *POLLER), POLLER_TEXT, ()),
        ("reads-a-cached-file", ("work", "scan", "{file}", *POOL), POOL_TEXT, ()),
        ("little-work", kernel("oversubscribed", "--look-alike", *POOL), POOL_TEXT, ()),
        ("beside-a-file-scan", kernel("periodic-branches", *OWN_CPU), SCAN_TEXT, SCAN),
    )
)


def entries() -> tuple[Entry, ...]:
    """Return all entries that run programs."""
    return (*_MEASURED, *_MODELLED, *_CONTROLS)
