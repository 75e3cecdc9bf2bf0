"""Recordings: directories with samples or results, described by recording.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from stallscope.documents import (
    DAMAGED,
    Count,
    Integer,
    Record,
    Share,
    decode,
    field,
    read_bounded,
)
from stallscope.errors import RecordingError, UsageError

FORMAT = "stallscope.recording"
MAJOR = 1
MANIFEST = "recording.json"
CONTINUOUS = "continuous.json"  # in a directory of recordings, one after the other
SAMPLES = "samples.perf"


class Notice(Record, frozen=True):
    """A warning that the recorder wrote."""

    code: str
    message: str


class RecordedEvent(Record, frozen=True, kw_only=True):
    """The recorded event: name, kind of the numbers, unit of a weight, scope, sampling rate."""

    event: str = "unknown"
    kind: str = "measured"
    unit: str = "events"
    scope: str = "user+kernel"
    frequency_hz: Count | None = None
    period: Count | None = None


class Target(Record, frozen=True):
    """The observed target."""

    kind: str = "process"  # "process", "command", "cpus" or "cgroup"
    pids: tuple[Count, ...] = ()
    cpus: str | Count | tuple[Count | str, ...] | None = None  # CPU list as text or numbers
    cgroup: str | None = None
    command: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the target in words."""
        if self.kind == "command":
            return "command " + " ".join(self.command)
        if self.kind == "cgroup":
            return f"cgroup {self.cgroup or ''}"
        if self.kind == "cpus":
            return f"CPUs {self._cpu_list}" if self._cpu_list else "all CPUs"
        return ("pid " if len(self.pids) == 1 else "pids ") + ", ".join(map(str, self.pids))

    @property
    def _cpu_list(self) -> str:
        if isinstance(self.cpus, tuple):
            return ",".join(map(str, self.cpus))
        return "" if self.cpus is None else str(self.cpus)


class ProcessStacks(Record, frozen=True):
    """How the stacks of a process were recorded, and the result of the probe."""

    pid: Integer
    chosen: str  # "fp" or "dwarf"
    probed_samples: Count = 0
    whole_share: Share | None = None  # of complete chains by frame pointers; None: no samples


class StackRecording(Record, frozen=True):
    """How user stacks were recorded, and why."""

    chosen: str  # "fp" (call chains by frame pointers), "dwarf" (copies, unwound later) or "mixed"
    requested: str = "auto"  # "fp", "dwarf" or "auto"
    copy_bytes: Count = 0  # size of a copied stack; 0 if none was copied
    why: str = ""
    processes: tuple[ProcessStacks, ...] = ()


class RecordedHost(Record, frozen=True, kw_only=True):
    """The host of a recording; an unknown value is empty or None."""

    hostname: str = ""
    kernel_release: str = ""
    kernel_version: str = ""
    architecture: str = ""
    cpu_model: str = ""
    cpu_id: str = ""  # "vendor,family,model,stepping", or the fields of MIDR
    cpus_online: Count | str | None = None  # a number, or a CPU list as the collector writes it
    memory_bytes: Count | None = None
    boot_id: str = ""
    virtualization: str | None = None


class RecordedClocks(Record, frozen=True, kw_only=True):
    """Start and end by CLOCK_MONOTONIC, and the start on the wall clock."""

    samples: str = ""  # the clock of the samples
    start_monotonic_ns: Count = 0
    end_monotonic_ns: Count | None = None
    start_realtime_ns: Count | None = None


class RecordedLosses(Record, frozen=True, kw_only=True):
    """Losses during the recording."""

    lost_samples: Count = 0


class RecordedEnd(Record, frozen=True, kw_only=True):
    """How the recording ended."""

    reason: str = ""
    target_status: dict[str, Integer | str | None] | str | None = None


class FlightTrigger(Record, frozen=True, kw_only=True):
    """The moment of the trigger, and what happened."""

    monotonic_ns: Count
    text: str = ""


class RecordedFlight(Record, frozen=True, kw_only=True):
    """What a recording of the last seconds before a trigger keeps."""

    began_monotonic_ns: Count  # of the waiting
    from_monotonic_ns: Count  # complete from here on
    trigger: FlightTrigger | None = None  # None: written at the end of the wait
    memory_limited: bool = False
    overwritten_samples: Count = 0
    overwritten_bytes: Count = 0
    side_records_dropped: Count = 0
    definitions_dropped: Count = 0  # of code and stacks of runtimes

    def describe(self, end_ns: int) -> str:
        """Return the kept time, the trigger and what was overwritten, in words."""
        waited_s = max(0, self.from_monotonic_ns - self.began_monotonic_ns) / 1e9
        before = f"{waited_s:,.0f} s before were overwritten"
        if self.trigger is None:
            kept_s = (end_ns - self.from_monotonic_ns) / 1e9
            return f"the last {kept_s:.1f} s before the end; {before}"
        moment_ns = min(max(self.trigger.monotonic_ns, self.from_monotonic_ns), end_ns)
        kept_s = (moment_ns - self.from_monotonic_ns) / 1e9
        after_s = (end_ns - moment_ns) / 1e9
        return f"{self.trigger.text}: the {kept_s:.1f} s before and {after_s:.1f} s after; {before}"


class RecordedFile(Record, frozen=True, kw_only=True):
    """A file of a recording."""

    name: str = ""
    format: str = ""
    bytes: Count | None = None


class Manifest(Record, frozen=True, kw_only=True):
    """The content of recording.json that all kinds share."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {"asked": "requested"}

    schema: str
    complete: bool
    kind: str | None = None  # None in early recordings of samples
    command: tuple[str, ...] = ()  # that made the recording
    files: tuple[RecordedFile, ...] = ()
    host: RecordedHost | None = None
    target_or_none: Target | None = field(default=None, name="target")
    source_or_none: RecordedEvent | None = field(default=None, name="source")
    clocks: RecordedClocks | None = None
    losses: RecordedLosses | None = None
    samples: Count = 0
    notices_or_none: tuple[Notice, ...] | None = field(default=None, name="warnings")
    stacks: StackRecording | None = None  # None in recordings before stacks could be copied
    end: RecordedEnd | None = None
    flight: RecordedFlight | None = None  # None: recorded from start to end

    @property
    def target(self) -> Target:
        """Return the target."""
        return self.target_or_none or Target()

    @property
    def source(self) -> RecordedEvent:
        """Return the recorded event."""
        return self.source_or_none or RecordedEvent()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return the recorder's warnings, and what a flight recorder keeps."""
        notices = self.notices_or_none or ()
        if self.flight is None:
            return notices
        text = self.flight.describe(self.end_ns or self.flight.from_monotonic_ns)
        return (Notice("flight", f"Flight recorder: {text}."), *notices)

    @property
    def host_name(self) -> str:
        """Return the host's name."""
        return (self.host or RecordedHost()).hostname

    @property
    def kernel_release(self) -> str:
        """Return the kernel's release."""
        return (self.host or RecordedHost()).kernel_release

    @property
    def cpu_model(self) -> str:
        """Return the CPU model's name."""
        return (self.host or RecordedHost()).cpu_model

    @property
    def cpu_id(self) -> str:
        """Return the CPU's identification."""
        return (self.host or RecordedHost()).cpu_id

    @property
    def boot_id(self) -> str:
        """Return the id of the boot."""
        return (self.host or RecordedHost()).boot_id

    @property
    def lost_samples(self) -> int:
        """Return the number of lost samples."""
        return (self.losses or RecordedLosses()).lost_samples

    @property
    def start_ns(self) -> int:
        """Return the start by CLOCK_MONOTONIC, in nanoseconds."""
        return (self.clocks or RecordedClocks()).start_monotonic_ns

    @property
    def end_ns(self) -> int | None:
        """Return the end by CLOCK_MONOTONIC, in nanoseconds; None if the recording is open."""
        return (self.clocks or RecordedClocks()).end_monotonic_ns

    @property
    def start_realtime_ns(self) -> int | None:
        """Return the start on the wall clock, in nanoseconds since 1970."""
        return (self.clocks or RecordedClocks()).start_realtime_ns

    @property
    def end_reason(self) -> str:
        """Return why the recording ended."""
        return (self.end or RecordedEnd()).reason

    @property
    def target_status(self) -> str:
        """Return how the target ended, as "exited 3" or "signalled 9"; empty if unknown."""
        status = (self.end or RecordedEnd()).target_status
        if isinstance(status, dict):
            return " ".join(f"{key} {value}" for key, value in status.items() if value is not None)
        return status or ""


class Recording(Struct, frozen=True):
    """A recording's directory, or a perf.data file, which has no manifest."""

    path: Path
    samples: Path
    manifest: Manifest | None

    @property
    def name(self) -> str:
        """Return the name of the recording for titles."""
        return self.path.resolve().name


def open_recording(path: Path) -> Recording:
    """Return the recording at a path: a recording's directory or a perf.data file.

    Raises UsageError if the path does not exist; RecordingError if it is not a recording, or has
    an unsupported version.
    """
    remedy = "name a directory that stallscope record made, or a perf.data file"
    try:
        if not path.exists():
            raise UsageError(f"there is no recording at {path}", remedy)
        if not path.is_dir():
            # A shell pipe is accepted: perf record -o - | stallscope report /dev/stdin
            is_shell_pipe = str(path.absolute()).startswith(("/dev/", "/proc/"))
            return Recording(path, path if is_shell_pipe else _regular(path), None)
        if not (path / MANIFEST).exists():
            if (path / CONTINUOUS).exists():
                remedy = f"it is a continuous recording: name a segment, {path}/segment-..."
            raise RecordingError(f"{path} is not a recording: it has no {MANIFEST}", remedy)
    except OSError as error:
        raise UsageError(
            f"cannot open {path}: {error.strerror}",
            "name a recording that this user may read, or run as its owner",
        ) from error
    return Recording(path, _regular(path / SAMPLES), read_manifest(path / MANIFEST))


def _regular(samples: Path) -> Path:
    """Return the path; RecordingError for a pipe or device, which might never answer."""
    if samples.exists() and not samples.is_file():
        raise RecordingError(
            f"{samples} is not a regular file",
            "write it to a file first, or pipe it to stallscope report /dev/stdin",
        )
    return samples


class _Header(Record, frozen=True):
    """The field that every version has."""

    schema: str = ""


def read_manifest(path: Path) -> Manifest:
    """Return the content of a recording.json; RecordingError if it is damaged or too new."""
    content = read_bounded(path)
    _check_version(decode(content, _Header, str(path)).schema, path)
    manifest = decode(content, Manifest, str(path))
    if manifest.end_ns is not None and manifest.end_ns < manifest.start_ns:
        raise RecordingError(f"{path}: clocks: the recording ends before it starts", DAMAGED)
    return manifest


def _check_version(schema: str, path: Path) -> None:
    name, _, version = schema.partition("/")
    major = version.partition(".")[0]
    if name != FORMAT or not major.isdecimal():
        raise RecordingError(
            f"{path}: the schema is {schema!r}, expected {FORMAT}/{MAJOR}.x",
            "name a directory that stallscope record made",
        )
    if int(major) != MAJOR:
        raise RecordingError(
            f"{path}: format version {version}; this stallscope reads {MAJOR}.x",
            "read it with the stallscope that wrote it, or a newer version",
        )
