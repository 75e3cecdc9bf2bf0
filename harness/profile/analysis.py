"""The analysis of a recording: reading, symbolizing, folding and ranking."""

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from harness.profile.capture_reading import CaptureReading, capture_reading
from harness.profile.options import AnalysisOptions
from harness.profile.python_file import has_no_interpreter
from harness.profile.truncated_capture import truncation_warning
from stallscope._native import Capture
from stallscope.errors import RecordingError
from stallscope.recordings import Manifest, Recording, StackRecording
from topdown.stacks.bursts import Burst, find_bursts
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.folding.named_chains import ChainTransform, NamedChains
from topdown.stacks.profile import Profile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.ranking import Ranking, rank
from topdown.waits.weight import Weight

if TYPE_CHECKING:
    from harness.profile.off_cpu import OffCpuFacts
    from harness.profile.weights import RecordedWeights
    from topdown.slots.function_slots import SlotsByFunction
    from topdown.slots.model import Model
    from topdown.stacks.managed.chains import ManagedFrameMerger
    from topdown.stacks.managed.frames import ManagedFrames
    from topdown.stacks.managed.interpreted import InterpretedFrameMerger
    from topdown.stacks.managed.shares import RuntimeShares
    from topdown.stacks.python.chains import PythonFrameMerger
    from topdown.stacks.python.shares import PythonShares

# Leaf addresses, and as many call sites, with inlined functions; colder ones are too narrow to see.
INLINED_ADDRESSES = 20_000
# If more samples are lost than kept, the rest is not representative.
MAX_LOST_SHARE = 0.5
PYTHON_FRAMES = "python.jsonl"
_DEFAULT_OPTIONS = AnalysisOptions()
LEAST_WHOLE_SHARE = 0.95  # as in the collector's choice, native/collect/stack_decision.cpp
MAX_COMM_BYTES = 15  # TASK_COMM_LEN without the terminating zero


class Analysis(Struct, frozen=True):
    """The profile of a recording with its ranking.

    ``stacks``: how stacks were recorded, None if the recording does not say. ``python``: matches
    of samples and Python frames, None without interpreters. ``slots``: counts by function, None
    if no group of events was recorded. ``bursts``: periods that differ from the rest.
    ``off_cpu``: wakers and idle pools of a profile of off-CPU time, None of others; then
    ``with_wakers`` is the profile with the call chains of wakers on top of those of waits.
    ``host_name`` and ``kernel_release``: from the capture. ``runtimes``: samples of V8 and HotSpot.
    ``modules``: the profile with functions grouped by module, None if not requested.
    """

    profile: Profile
    ranking: Ranking
    stacks: StackRecording | None = None
    python: "PythonShares | None" = None
    slots: "SlotsByFunction | None" = None
    bursts: tuple[Burst, ...] = ()
    off_cpu: "OffCpuFacts | None" = None
    with_wakers: Profile | None = None
    host_name: str = ""
    kernel_release: str = ""
    runtimes: "tuple[RuntimeShares, ...]" = ()
    modules: Profile | None = None


def analyze(
    recording: Recording,
    options: AnalysisOptions = _DEFAULT_OPTIONS,
    reading: CaptureReading | None = None,
) -> Analysis:
    """Return the profile of a recording; ``reading``: its capture, if it was read before.

    Raises RecordingError if the capture is unreadable, empty or mostly lost.
    """
    manifest = recording.manifest
    if (imported := _imported(recording, options)) is not None:
        return imported
    reading = reading or capture_reading(recording, options.places)
    capture, symbolizer, managed = reading.capture, reading.symbolizer, reading.managed
    merger, python_warnings = _python_frames(recording, options)
    managed_merger = _managed_merger(managed, options)
    interpreted_merger = _interpreted_merger(managed, options)
    weights = _weights(reading, options)
    fold_options = replace(
        _fold_options(recording, options),
        transform=_all_of(managed_merger, interpreted_merger, merger),
        weights=weights.samples if weights is not None else None,
        times=True,
        period_ns=_period_ns(options),
    )
    profile = fold(capture, symbolizer, fold_options)
    joined = None
    if weights is not None and weights.with_wakers is not None:
        joined = fold(capture, symbolizer, replace(fold_options, weights=weights.with_wakers))
    warnings = [*profile.warnings, *reading.warnings]
    warnings += python_warnings
    warnings += managed.warnings if managed is not None else ()
    warnings += managed_merger.warnings if managed_merger is not None else ()
    warnings += truncation_warning(capture, recording)
    profile = replace(profile, warnings=tuple(warnings))
    if manifest is not None:
        process = _full_process_name(profile, capture)
        profile = _with_manifest(profile, manifest, process)
        if options.weight == Weight.CPU:
            profile = _with_source(profile, manifest)
    _check_losses(recording, profile)
    shares = merger.shares if merger is not None else None
    slots = None
    if profile.counted:
        from topdown.slots.function_slots import slots_by_function  # noqa: PLC0415 - rarely needed

        extra = added_switches_warning(profile.counted.events, shares)
        profile = replace(profile, warnings=(*profile.warnings, *extra))
        slots = slots_by_function(profile, model_of_recording(manifest))
    ranking = rank(profile)
    profile = replace(
        profile, warnings=(*profile.warnings, *_hints(capture, profile, ranking, managed, manifest))
    )
    return Analysis(
        profile,
        ranking,
        manifest.stacks if manifest is not None else None,
        shares,
        slots,
        find_bursts(profile, profile.times) if profile.times is not None else (),
        weights.off_cpu if weights is not None else None,
        joined,
        capture.host_name,
        capture.kernel_release,
        _runtime_shares(managed_merger, interpreted_merger),
        _modules(profile, options),
    )


def _modules(profile: Profile, options: AnalysisOptions) -> Profile | None:
    if not options.by_module:
        return None
    from topdown.stacks.grouping import grouped_by_module  # noqa: PLC0415 - rarely needed

    return grouped_by_module(profile)


def _hints(
    capture: Capture,
    profile: Profile,
    ranking: Ranking,
    managed: "ManagedFrames | None",
    manifest: Manifest | None,
) -> tuple[ProfileWarning, ...]:
    """Return what helps if generated code of a runtime has no names."""
    from topdown.stacks.managed.hints import runtime_hints  # noqa: PLC0415 - start-up stays light

    read = [runtime.name for runtime in managed.runtimes] if managed is not None else []
    mapped = [mapped.path for mapped in capture.objects]
    reading_off = manifest is not None and "--python=off" in manifest.command
    return runtime_hints(profile, ranking, mapped, read, reading_off=reading_off)


def _weights(reading: CaptureReading, options: AnalysisOptions) -> "RecordedWeights | None":
    """Return the weights of the samples, None if they weigh their periods."""
    if options.weight == Weight.CPU:
        return None
    from harness.profile.weights import weights_of  # noqa: PLC0415 - rarely needed

    return weights_of(reading, options.weight)


def _period_ns(options: AnalysisOptions) -> tuple[int, int] | None:
    if options.period is None:
        return None
    return round(options.period.begin_s * 1e9), round(options.period.end_s * 1e9)


def _python_frames(
    recording: Recording, options: AnalysisOptions
) -> tuple["PythonFrameMerger | None", tuple[ProfileWarning, ...]]:
    """Return what merges Python frames into chains, None without frames, and warnings."""
    if recording.manifest is None or has_no_interpreter(recording.path / PYTHON_FRAMES):
        return None, ()
    from topdown.stacks.python.chains import PythonFrameMerger  # noqa: PLC0415 - rarely needed
    from topdown.stacks.python.frames import read_python_frames  # noqa: PLC0415

    python = read_python_frames(recording.path)
    if python is None:
        return None, ()
    return PythonFrameMerger(python, lines=options.lines > 0), python.warnings


def _managed_merger(
    managed: "ManagedFrames | None", options: AnalysisOptions
) -> "ManagedFrameMerger | None":
    if managed is None:
        return None
    from topdown.stacks.managed.chains import ManagedFrameMerger  # noqa: PLC0415 - rarely needed

    return ManagedFrameMerger(managed, lines=options.lines > 0)


def _interpreted_merger(
    managed: "ManagedFrames | None", options: AnalysisOptions
) -> "InterpretedFrameMerger | None":
    """Return what merges the frames of Ruby and PHP, None without such processes."""
    if managed is None:
        return None
    from topdown.stacks.managed.chains import INTERPRETED  # noqa: PLC0415 - rarely needed

    if all(runtime.name not in INTERPRETED for runtime in managed.runtimes):
        return None
    from topdown.stacks.managed.interpreted import (  # noqa: PLC0415 - rarely needed
        InterpretedFrameMerger,
    )

    return InterpretedFrameMerger(managed, lines=options.lines > 0)


def _runtime_shares(
    managed: "ManagedFrameMerger | None", interpreted: "InterpretedFrameMerger | None"
) -> "tuple[RuntimeShares, ...]":
    return (
        *(managed.shares if managed is not None else ()),
        *(interpreted.shares if interpreted is not None else ()),
    )


def _all_of(*transforms: ChainTransform | None) -> ChainTransform | None:
    """Return one transformation that applies these in their order; None is skipped."""
    steps = [transform for transform in transforms if transform is not None]
    if not steps:
        return None

    def apply(capture: Capture, named: NamedChains) -> NamedChains:
        for step in steps:
            named = step(capture, named)
        return named

    return apply


def _imported(recording: Recording, options: AnalysisOptions) -> Analysis | None:
    """Return the profile of a file of another tool; None for a recording or a capture."""
    if recording.manifest is not None:
        return None
    from harness.profile.imported import analyze_imported  # noqa: PLC0415 - rarely needed

    return analyze_imported(recording, options)


def added_switches_warning(
    events: tuple[str, ...], shares: "PythonShares | None"
) -> tuple[ProfileWarning, ...]:
    """Return a warning if context switches were counted that reading Python frames added."""
    counted = any("context-switch" in name.lower().replace("_", "-") for name in events)
    if not counted or shares is None or shares.samples == 0:
        return ()
    return (
        ProfileWarning(
            "switches-of-ours",
            "Reading Python frames adds a context switch per sample of a Python program, because "
            "they are read on the same CPU. To count switches, use --python off.",
        ),
    )


def model_of_recording(manifest: Manifest | None) -> "Model | None":
    """Return the model of the recorded CPU; None if the CPU is unknown or has no model."""
    from topdown.slots.detection import (  # noqa: PLC0415 - only with counters
        identity_of_recording,
        model_of_identity,
    )

    identity = None if manifest is None else identity_of_recording(manifest.cpu_id)
    return None if identity is None else model_of_identity(identity)


def _fold_options(recording: Recording, options: AnalysisOptions) -> FoldOptions:
    manifest = recording.manifest
    duration_s = None
    if manifest is not None and manifest.end_ns is not None:
        duration_s = (manifest.end_ns - manifest.start_ns) / 1e9
    return FoldOptions(
        event=options.event or None,
        title=manifest.target.describe() if manifest is not None else recording.name,
        lost=manifest.lost_samples if manifest is not None and manifest.complete else None,
        duration_s=duration_s,
        verified_pids=_verified_pids(manifest),
        lines=options.lines,
        inlined=INLINED_ADDRESSES if options.inlined else 0,
    )


def _verified_pids(manifest: Manifest | None) -> frozenset[int]:
    """Return the processes whose chains by frame pointers are complete, as the probe measured."""
    if manifest is None or manifest.stacks is None:
        return frozenset()
    return frozenset(
        process.pid
        for process in manifest.stacks.processes
        if process.chosen == "fp" and (process.whole_share or 0.0) >= LEAST_WHOLE_SHARE
    )


def _full_process_name(profile: Profile, capture: Capture) -> str:
    """Return the name of the only sampled process, empty if there are several.

    The kernel keeps 15 bytes of it; a mapped executable with this prefix gives the full name.
    """
    names = {thread.process_name for thread in profile.threads}
    if len(names) != 1:
        return ""
    name = names.pop() or "(no name)"
    if len(name.encode()) < MAX_COMM_BYTES:
        return name
    files = {
        PurePosixPath(os.fsdecode(mapped.path)).name
        for mapped in capture.objects
        if mapped.path.startswith(b"/") and ".so" not in os.fsdecode(mapped.path)
    }
    matches = [file for file in files if file.startswith(name)]
    return matches[0] if len(matches) == 1 else name


def _with_manifest(profile: Profile, manifest: Manifest, process: str) -> Profile:
    """Return the profile with warnings and target from the manifest."""
    warnings = [ProfileWarning(notice.code, notice.message) for notice in manifest.notices]
    if not manifest.complete:
        warnings.append(
            ProfileWarning(
                "unclosed",
                "The recording was not closed: the recorder was killed, or the disk was full. "
                "The samples written until then are shown.",
            )
        )
    title = profile.title
    if manifest.target.kind == "process" and process:
        title = f"{process} ({title})"
    return replace(profile, title=title, warnings=(*warnings, *profile.warnings))


def _with_source(profile: Profile, manifest: Manifest) -> Profile:
    """Return the profile with the source of the manifest."""
    source = manifest.source
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
    )


def _check_losses(recording: Recording, profile: Profile) -> None:
    if profile.samples == 0:
        raise RecordingError(
            f"the recording {recording.path} is empty: it has no samples",
            "the target used no CPU while it was recorded; record it under load, or longer",
        )
    if profile.lost is None:
        return
    lost_share = profile.lost / (profile.samples + profile.lost)
    if lost_share > MAX_LOST_SHARE:
        raise RecordingError(
            f"{profile.lost:,} samples of the recording {recording.path} were lost "
            f"and {profile.samples:,} kept",
            "record again with a lower frequency (-F)",
        )
