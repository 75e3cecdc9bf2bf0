"""Recordings: the directories that the collector writes and every analyzer reads."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import RecordingError, UsageError
from stallscope.json_fields import REMEDY, Fields, read_fields

FORMAT = "stallscope.recording"
MAJOR = 1
MANIFEST = "recording.json"
SAMPLES = "samples.perf"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader of the numbers must know, as the collector said it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class EventSource:
    """What was counted: event name, kind, unit of a weight, scope, and how often it sampled."""

    event: str
    kind: str
    unit: str
    scope: str
    frequency_hz: int | None
    period: int | None


@dataclass(frozen=True, slots=True)
class Target:
    """What was observed."""

    kind: str  # "process", "command", "cpus" or "cgroup"
    pids: tuple[int, ...]
    cpus: str
    cgroup: str
    command: tuple[str, ...]

    def describe(self) -> str:
        """Return the target as a person names it."""
        if self.kind == "command":
            return "command " + " ".join(self.command)
        if self.kind == "cgroup":
            return f"cgroup {self.cgroup}"
        if self.kind == "cpus":
            return f"CPUs {self.cpus}" if self.cpus else "all CPUs"
        return ("pid " if len(self.pids) == 1 else "pids ") + ", ".join(map(str, self.pids))


@dataclass(frozen=True, slots=True)
class ProcessStacks:
    """How one process's stacks were recorded, and what its first samples showed."""

    pid: int
    chosen: str  # "fp" or "dwarf"
    probed_samples: int
    whole_share: float | None  # of the chains by frame pointers, 0..1; None where none was seen


@dataclass(frozen=True, slots=True)
class Stacks:
    """How user stacks were recorded, and why so."""

    asked: str  # "fp", "dwarf" or "auto"
    chosen: str  # "fp" (call chains by frame pointers), "dwarf" (copies, unwound later) or "mixed"
    copy_bytes: int  # of each stack; 0 where none was copied
    why: str
    processes: tuple[ProcessStacks, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What recording.json says. Times in nanoseconds, of CLOCK_MONOTONIC but where named."""

    complete: bool
    host_name: str
    kernel_release: str
    cpu_model: str
    cpu_id: str  # "vendor,family,model,stepping", or MIDR's fields; empty where not told
    boot_id: str
    target: Target
    source: EventSource
    samples: int
    lost_samples: int
    start_ns: int
    end_ns: int | None
    start_realtime_ns: int | None  # the wall clock's, for people and for files' times
    end_reason: str
    target_status: str
    notices: tuple[Notice, ...]
    stacks: Stacks | None  # None in recordings made before stacks could be copied


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording's directory, or a bare perf.data file, which has no manifest."""

    path: Path
    samples: Path
    manifest: Manifest | None

    @property
    def name(self) -> str:
        """Return what to call the recording in titles."""
        return self.path.resolve().name


def open_recording(path: Path) -> Recording:
    """Return the recording at a path: a directory of ours or a perf.data file.

    Raises UsageError where nothing is there; RecordingError where it is no recording, or of a
    version this stallscope does not read.
    """
    remedy = "name a directory that stallscope record made, or a perf.data file"
    try:
        if not path.exists():
            raise UsageError(f"there is no recording at {path}", remedy)
        if not path.is_dir():
            # A pipe of the shell's, as `perf record -o - | stallscope report /dev/stdin`, is read.
            of_the_shell = str(path.absolute()).startswith(("/dev/", "/proc/"))
            return Recording(path, path if of_the_shell else _regular(path), None)
        if not (path / MANIFEST).exists():
            raise RecordingError(f"{path} is no recording: it holds no {MANIFEST}", remedy)
    except OSError as error:
        raise UsageError(
            f"cannot open {path}: {error.strerror}",
            "name a recording that this user may read, or run as who made it",
        ) from error
    return Recording(path, _regular(path / SAMPLES), read_manifest(path / MANIFEST))


def _regular(samples: Path) -> Path:
    """Return the path, unless it is a pipe or device, which may never answer."""
    if samples.exists() and not samples.is_file():
        raise RecordingError(
            f"{samples} is not a regular file",
            "write it to a file first, or pipe it to stallscope report /dev/stdin",
        )
    return samples


def read_manifest(path: Path) -> Manifest:
    """Return what a recording.json says; RecordingError where it is damaged or too new."""
    fields = read_fields(path)
    _check_version(fields)
    host, clocks, end = fields.fields("host"), fields.fields("clocks"), fields.fields("end")
    start_ns, end_ns = clocks.count("start_monotonic_ns", 0), clocks.maybe_count("end_monotonic_ns")
    if end_ns is not None and end_ns < start_ns:
        raise RecordingError(f"{clocks.where}: the recording ends before it starts", REMEDY)
    return Manifest(
        complete=fields.boolean("complete"),
        host_name=host.text("hostname", ""),
        kernel_release=host.text("kernel_release", ""),
        cpu_model=host.text("cpu_model", ""),
        cpu_id=host.text("cpu_id", ""),
        boot_id=host.text("boot_id", ""),
        target=_target(fields.fields("target")),
        source=_source(fields.fields("source")),
        samples=fields.count("samples", 0),
        lost_samples=fields.fields("losses").count("lost_samples", 0),
        start_ns=start_ns,
        end_ns=end_ns,
        start_realtime_ns=clocks.maybe_count("start_realtime_ns"),
        end_reason=end.text("reason", ""),
        target_status=_target_status(end),
        notices=tuple(
            Notice(notice.text("code"), notice.text("message"))
            for notice in fields.objects("warnings")
        ),
        stacks=_stacks(fields.fields("stacks")) if fields.values.get("stacks") else None,
    )


def _check_version(fields: Fields) -> None:
    schema = fields.text("schema", "")
    name, _, version = schema.partition("/")
    major = version.partition(".")[0]
    if name != FORMAT or not major.isdecimal():
        raise RecordingError(
            f"{fields.where}: the schema is {schema!r}, expected {FORMAT}/{MAJOR}.x",
            "name a directory that stallscope record made",
        )
    if int(major) != MAJOR:
        raise RecordingError(
            f"{fields.where}: format version {version}; this stallscope reads {MAJOR}.x",
            "read it with the stallscope that wrote it, or a newer one",
        )


def _target(fields: Fields) -> Target:
    return Target(
        kind=fields.text("kind", "process"),
        pids=fields.integers("pids"),
        cpus=_as_text(fields.values.get("cpus")),
        cgroup=_as_text(fields.values.get("cgroup")),
        command=fields.texts("command"),
    )


def _as_text(value: object) -> str:
    """Return a CPU list or path as text, whichever way it was written."""
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return "" if value is None else str(value)


def _source(fields: Fields) -> EventSource:
    return EventSource(
        event=fields.text("event", "unknown"),
        kind=fields.text("kind", "measured"),
        unit=fields.text("unit", "events"),
        scope=fields.text("scope", "user+kernel"),
        frequency_hz=fields.maybe_count("frequency_hz"),
        period=fields.maybe_count("period"),
    )


def _stacks(fields: Fields) -> Stacks:
    return Stacks(
        asked=fields.text("asked", "auto"),
        chosen=fields.text("chosen"),
        copy_bytes=fields.count("copy_bytes", 0),
        why=fields.text("why", ""),
        processes=tuple(
            ProcessStacks(
                pid=process.integer("pid"),
                chosen=process.text("chosen"),
                probed_samples=process.count("probed_samples", 0),
                whole_share=process.maybe_share("whole_share"),
            )
            for process in fields.objects("processes")
        ),
    )


def _target_status(end: Fields) -> str:
    """Return how the target ended, as "exited 3" or "signalled 9"; empty where unknown."""
    status = end.values.get("target_status")
    if isinstance(status, dict):
        return " ".join(f"{key} {value}" for key, value in status.items() if value is not None)
    return status if isinstance(status, str) else ""
