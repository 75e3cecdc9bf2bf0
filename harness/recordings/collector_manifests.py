"""The recording.json of the collector: samples of code, and counts of events.

``stallscope.recordings.Manifest`` has the fields that readers need of every kind. The documents
here are for the published schemas: they name all fields that the collector writes
(``native/collect/recording_document.cpp``, ``native/count/count_document.cpp``), and ``settings``,
which `stallscope` adds. A field that older recordings lack has a default.
"""

from typing import Literal

from cstates.fingerprint import Fingerprint
from harness.recordings.manifest import RecordingSchema
from stallscope.documents import Amount, Count, Record, field
from stallscope.recordings import Manifest, RecordedEvent, RecordedLosses, Target
from topdown.slots.counting.counting_run import CountingRecord


class CollectorTool(Record, frozen=True):
    """The program that wrote the recording."""

    name: str
    version: str


class RefusedEvent(Record, frozen=True, kw_only=True):
    """An event that was tried before the recorded one."""

    event: str
    precise: Count
    scope: str
    refused: str  # the kernel's error


class SampledEvent(RecordedEvent, frozen=True, kw_only=True):
    """The sampled event, and those that were tried before."""

    precise: Count = 0
    ladder: tuple[RefusedEvent, ...] = ()


class SamplingRequest(Record, frozen=True, kw_only=True):
    """The requested options; None: not set."""

    event: str | None = None
    with_events: tuple[str, ...] = field(default=(), name="with")
    leader: str | None = None
    frequency_hz: Count | None = None
    period: Count | None = None
    duration_s: Amount | None = None
    scope: Literal["allowed", "user", "kernel"] = "allowed"
    ring_bytes: Count | None = None
    max_stack: Count | None = None
    python: Literal["auto", "off"] = "off"
    start_disabled: bool = False


class SamplingAttachment(Record, frozen=True, kw_only=True):
    """How the collector was attached to the target."""

    mode: str  # "per-thread", "per-cpu", "per-cpu filtered" or "cgroup"
    threads: Count = 0
    descriptors: Count = 0
    duplicates_closed: Count = 0
    opened_monotonic_ns: Count = 0
    settled_monotonic_ns: Count = 0  # all threads that existed then are attached
    ring_bytes: Count = 0


class SamplingLosses(RecordedLosses, frozen=True, kw_only=True):
    """Losses during the recording, and samples that occurred twice."""

    lost_records: Count = 0
    throttles: Count = 0
    duplicates_left_out: Count = 0


class SampledCounter(Record, frozen=True, kw_only=True):
    """The count of the sampled event at the end, and the sum of the samples' periods."""

    value: Count
    time_enabled_ns: Count
    time_running_ns: Count
    of: str
    sampled: Count


class SampledGroup(Record, frozen=True, kw_only=True):
    """The events counted with each sample."""

    leader: str | None  # None: the sampled event leads
    events: tuple[str, ...]
    inherited: bool
    counts: tuple[Count, ...] | None


class SamplesManifest(Manifest, frozen=True, kw_only=True):
    """The recording.json of a recording of samples."""

    schema: RecordingSchema
    kind: Literal["samples"] | None = None  # None in early recordings
    tool: CollectorTool | None = None
    options: SamplingRequest | None = None
    source_or_none: SampledEvent | None = field(default=None, name="source")
    attach: SamplingAttachment | None = None
    losses: SamplingLosses | None = None
    counter: SampledCounter | None = None
    group: SampledGroup | None = None
    settings: Fingerprint | None = None


class CountedTarget(Target, frozen=True):
    """The counted target; ``kind`` may be "threads"."""

    tids: tuple[Count, ...] = ()


class CountingRequest(Record, frozen=True, kw_only=True):
    """The requested options; None: not set."""

    plan: str = ""  # path of the plan
    window_ms: Count = 0
    duration_s: Amount | None = None
    scope: Literal["allowed", "user"] = "allowed"
    per_thread: bool = False
    start_disabled: bool = False
    phases: bool = False  # only marked phases were counted


class CountingAttachment(Record, frozen=True, kw_only=True):
    """How the counters were attached to the target."""

    mode: str  # "per-process", "per-thread", "per-cpu" or "cgroup"
    members: Count = 0  # threads or CPUs
    descriptors: Count = 0
    inherit: bool = False


class CountingLosses(RecordedLosses, frozen=True, kw_only=True):
    """Windows in which the collector was not scheduled in time."""

    missed_windows: Count = 0


class CountersManifest(Manifest, frozen=True, kw_only=True):
    """The recording.json of a recording of counters."""

    schema: RecordingSchema
    kind: Literal["counters"]
    tool: CollectorTool | None = None
    target_or_none: CountedTarget | None = field(default=None, name="target")
    options: CountingRequest | None = None
    attach: CountingAttachment | None = None
    counting: CountingRecord | None = None
    windows: Count = 0
    losses: CountingLosses | None = None
    settings: Fingerprint | None = None
