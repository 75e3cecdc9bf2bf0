"""From a recording to its profile: reading, symbolizing, folding, ranking."""

import os
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from stallscope._native import Capture, CaptureError, read_capture
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.recordings import Manifest, Recording, StackRecording
from topdown.slots.counting.counting_run import is_counters_recording
from topdown.slots.detection import identity_of_recording, model_of_identity
from topdown.slots.function_slots import SlotsByFunction, slots_by_function
from topdown.slots.model import Model
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.profile import Profile, ProfileWarning
from topdown.stacks.python.chains import PythonFrameMerger
from topdown.stacks.python.frames import read_python_frames
from topdown.stacks.python.shares import PythonShares
from topdown.stacks.ranking import Ranking, rank
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory
from topdown.stacks.symbols.symbolizer import Symbolizer
from topdown.stacks.unwinding.tables import UnwindTables

INLINED_ADDRESSES = 1000  # leaves, and as many call sites: what is colder is too narrow to see
# More lost than kept: what is left is no fair sample of anything.
LARGEST_LOST_SHARE = 0.5
LONGEST_COMM_BYTES = 15  # TASK_COMM_LEN without its end


@dataclass(frozen=True, slots=True)
class Analysis:
    """A recording's profile with its ranking, and the host it was made on as label and text.

    ``stacks``: how stacks were taken; None if the recording does not say. ``python``: how
    samples and Python frames came together; None if no interpreter was read. ``slots``: what was
    counted by function; None if no group of events was.
    """

    profile: Profile
    ranking: Ranking
    host: dict[str, str]
    stacks: StackRecording | None = None
    python: PythonShares | None = None
    slots: SlotsByFunction | None = None


def analyze(
    recording: Recording, *, lines: int = 0, inlined: bool = False, event: str = ""
) -> Analysis:
    """Return the profile of a recording.

    ``lines`` is how many of the hottest addresses get source lines and inlined functions;
    ``inlined`` looks for inlined functions at all that are hot. Raises RecordingError if the
    capture is unreadable, empty or mostly lost.
    """
    if is_counters_recording(recording.path):
        raise UsageError(
            f"{recording.path} holds counters and no samples",
            f"see what was counted: stallscope report {recording.path}",
        )
    manifest = recording.manifest
    sources = _sources(recording)
    tables = UnwindTables(sources)
    capture = _read(recording, tables)
    options = _fold_options(recording, event, lines, inlined=inlined)
    python = read_python_frames(recording.path) if manifest is not None else None
    merger = None if python is None else PythonFrameMerger(python, lines=lines > 0)
    profile = fold(capture, Symbolizer(sources), replace(options, transform=merger))
    notices = (*tables.warnings, *(python.warnings if python is not None else ()))
    profile = replace(profile, warnings=(*profile.warnings, *notices))
    if manifest is not None:
        profile = _with_manifest(profile, manifest, _whole_name(profile, capture))
    _check_worth(recording, profile)
    stacks = manifest.stacks if manifest is not None else None
    shares = merger.shares if merger is not None else None
    slots = None
    if profile.counted:
        ours = switches_of_ours(profile.counted.events, shares)
        profile = replace(profile, warnings=(*profile.warnings, *ours))
        slots = slots_by_function(profile, model_of_recording(manifest))
    return Analysis(profile, rank(profile), _host(recording, capture), stacks, shares, slots)


def switches_of_ours(
    events: tuple[str, ...], shares: PythonShares | None
) -> tuple[ProfileWarning, ...]:
    """Return a warning where context switches were counted that reading Python frames made."""
    counted = any("context-switch" in name.lower().replace("_", "-") for name in events)
    if not counted or shares is None or shares.samples == 0:
        return ()
    return (
        ProfileWarning(
            "switches-of-ours",
            "Context switches hold one more for each sample of a Python program: its frames are "
            "read on its own CPU. To count them, leave frames alone: --python off.",
        ),
    )


def model_of_recording(manifest: Manifest | None) -> Model | None:
    """Return the model of the CPU that was recorded; None if it is not known, or has none."""
    identity = None if manifest is None else identity_of_recording(manifest.cpu_id)
    return None if identity is None else model_of_identity(identity)


def _read(recording: Recording, tables: UnwindTables) -> Capture:
    """Return the capture, copied stacks unwound; one never closed may end within a record."""
    manifest = recording.manifest
    unclosed = manifest is not None and not manifest.complete
    try:
        return read_capture(recording.samples, allow_truncated=unclosed, unwind_tables=tables)
    except CaptureError as error:
        message, offset = error.args[0], error.args[1]
        raise RecordingError(
            f"{recording.samples}: at offset {offset}: {message}",
            "the file is damaged or no capture; record again, or get it anew from where it came",
        ) from error
    except OSError as error:
        if error.filename != str(recording.samples):
            raise UnableError(
                f"copied stacks cannot wait in {error.filename}: {error.strerror}",
                "set TMPDIR to a directory with more room",
            ) from error
        raise UsageError(
            f"cannot read {recording.samples}: {error.strerror}",
            "name a recording that this user may read",
        ) from error


def _sources(recording: Recording) -> SymbolSources:
    manifest = recording.manifest
    return SymbolSources(
        recording=recording.path if manifest is not None else None,
        boot_id=manifest.boot_id if manifest is not None else None,
        recorded_ns=_made_ns(recording),
        cache_directory=default_cache_directory(),
    )


def _made_ns(recording: Recording) -> int | None:
    """Return when the recording was over by the wall clock, None if nothing tells.

    A recording says it itself; a bare file's own time is that of its copy at the worst.
    """
    manifest = recording.manifest
    if manifest is None:
        return recording.samples.stat().st_mtime_ns
    if manifest.start_realtime_ns is None:
        return None
    lasted_ns = (manifest.end_ns or manifest.start_ns) - manifest.start_ns
    return manifest.start_realtime_ns + lasted_ns


def _fold_options(recording: Recording, event: str, lines: int, *, inlined: bool) -> FoldOptions:
    manifest = recording.manifest
    duration = None
    if manifest is not None and manifest.end_ns is not None:
        duration = (manifest.end_ns - manifest.start_ns) / 1e9
    return FoldOptions(
        event=event or None,
        title=manifest.target.describe() if manifest is not None else recording.name,
        lost=manifest.lost_samples if manifest is not None and manifest.complete else None,
        duration_s=duration,
        lines=lines,
        inlined=INLINED_ADDRESSES if inlined else 0,
    )


def _whole_name(profile: Profile, capture: Capture) -> str:
    """Return the name of the one process that was observed, empty if there are several.

    The kernel keeps 15 bytes of it; where an executable that ran begins so, its name is whole.
    """
    names = {thread.process_name for thread in profile.threads}
    if len(names) != 1:
        return ""
    name = names.pop() or "(no name)"
    if len(name.encode()) < LONGEST_COMM_BYTES:
        return name
    files = {
        PurePosixPath(os.fsdecode(mapped.path)).name
        for mapped in capture.objects
        if mapped.path.startswith(b"/") and ".so" not in os.fsdecode(mapped.path)
    }
    whole = [file for file in files if file.startswith(name)]
    return whole[0] if len(whole) == 1 else name


def _with_manifest(profile: Profile, manifest: Manifest, process: str) -> Profile:
    """Return the profile with what only the manifest knows: its source, notices and target."""
    source = manifest.source
    notices = tuple(ProfileWarning(notice.code, notice.message) for notice in manifest.notices)
    if not manifest.complete:
        notices += (
            ProfileWarning(
                "unclosed",
                "The recording was not closed: it was killed, or its disk ran full. "
                "What had been written is shown.",
            ),
        )
    title = profile.title
    if manifest.target.kind == "process" and process:
        title = f"{process} ({title})"
    return replace(
        profile,
        source=replace(
            profile.source,
            event=source.event,
            kind=source.kind,
            unit=source.unit,
            scope=source.scope,
            frequency_hz=source.frequency_hz,
            period=source.period,
        ),
        title=title,
        warnings=(*notices, *profile.warnings),
    )


def _check_worth(recording: Recording, profile: Profile) -> None:
    if profile.samples == 0:
        raise RecordingError(
            f"the recording {recording.path} is empty: nothing was sampled",
            "the target used no CPU while it was observed; record it while it works, or longer",
        )
    lost_share = profile.lost / (profile.samples + profile.lost)
    if lost_share > LARGEST_LOST_SHARE:
        raise RecordingError(
            f"{profile.lost:,} samples of the recording {recording.path} were lost "
            f"and {profile.samples:,} kept",
            "record again with a lower frequency (-F)",
        )


def _host(recording: Recording, capture: Capture) -> dict[str, str]:
    """Return label and text of what the page says of the host."""
    manifest = recording.manifest
    if manifest is None:
        facts = {"host": capture.host_name, "kernel": capture.kernel_release}
    else:
        facts = host_facts(manifest) | recorded_facts(recording.path)
    return {label: text for label, text in facts.items() if text}
