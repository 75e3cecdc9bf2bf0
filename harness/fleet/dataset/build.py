"""A recording as tables of the data set."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.fleet.dataset.parts import (
    Columns,
    Part,
    built_part,
    hour_of,
    remove_other_parts,
    write_part,
)
from harness.fleet.dataset.schema import FOLDER
from harness.recordings.kinds import COUNTERS, PROFILE, REQUESTS, WAITS, kind_of
from stallscope.recordings import MANIFEST, Recording, open_recording
from topdown.stacks.profile import Profile
from topdown.stacks.profile_warning import DOWNLOAD_WARNING


@dataclass(frozen=True, slots=True)
class RecordingTables:
    """The tables of a recording by name, and why debug files were not downloaded."""

    tables: dict[str, Columns]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """A complete part, and why debug files of its recording were not downloaded."""

    part: Part
    warnings: tuple[str, ...] = ()


def recordings_of(root: Path) -> tuple[Path, ...]:
    """Return the recordings in a fleet's directory: HOST or HOST/SEGMENT, in order of names."""
    rows = [*root.glob(f"*/{MANIFEST}"), *root.glob(f"*/*/{MANIFEST}")]
    places = [path.parent for path in rows]
    return tuple(
        sorted(
            place
            for place in places
            if not any(
                name.startswith(".") or name == FOLDER for name in place.relative_to(root).parts
            )
        )
    )


def part_of(root: Path, path: Path) -> Part:
    """Return the part of a recording. Raises RecordingError if it is unreadable."""
    manifest = open_recording(path).manifest
    assert manifest is not None
    begin_ns = manifest.start_realtime_ns or path.stat().st_mtime_ns
    begin = manifest.start_realtime_ns or 0
    identity = f"{manifest.boot_id} {manifest.start_ns} {begin} {path.name}"
    name = f"{_digest(identity, 8)}-{_digest(_state(path), 4)}"
    return Part(str(root), path.relative_to(root).parts[0], hour_of(begin_ns), name)


def with_places(part: Part, places: SymbolPlaces) -> Part:
    """Return the part whose functions are named with these debug files."""
    words = places.words()
    return replace(part, name=f"{part.name}-{_digest(' '.join(words), 4)}") if words else part


def _state(path: Path) -> str:
    """Return a text that differs while a recording is written: the sizes of its raw files."""
    files = sorted(file for file in path.iterdir() if file.suffix != ".html" and file.is_file())
    return " ".join(f"{file.name}:{file.stat().st_size}" for file in files)


def _digest(text: str, size: int) -> str:
    content = text.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(content, digest_size=size).hexdigest()


def build_part(root: Path, path: Path, places: SymbolPlaces = DEFAULT_PLACES) -> BuiltPart:
    """Return the part of a recording after its tables were written, if they were not before.

    A recording that has grown since then replaces its earlier part. ``places``: of debug files;
    other places replace the part, none accept that of any places. If a debug file could not be
    downloaded, the part is that without places, so that the next query with them tries again.
    """
    part = with_places(part_of(root, path), places)
    built = built_part(part)
    if built is not None:
        return BuiltPart(built)
    recording = open_recording(path)
    assert recording.manifest is not None
    row = (*times_of(recording), kind_of(recording))
    counts = (recording.manifest.samples, recording.manifest.lost_samples)
    names = ("begin_ns", "end_ns", "kind", "samples", "lost")
    content = tables_of(recording, places)
    if content.warnings:
        part = part_of(root, path)
    write_part(part, {**content.tables, "recordings": _columns(names, [(*row, *counts)])})
    remove_other_parts(part, keep=part)
    return BuiltPart(part, content.warnings)


def tables_of(recording: Recording, places: SymbolPlaces = DEFAULT_PLACES) -> RecordingTables:
    """Return the tables of a recording by name, according to its kind."""
    kind = kind_of(recording)
    tables: dict[str, Columns] = {}
    warnings: tuple[str, ...] = ()
    if kind in (PROFILE, WAITS, REQUESTS):
        profile = _profile(recording, places)
        tables |= profile_tables(profile, *times_of(recording))
        warnings = tuple(
            warning.message for warning in profile.warnings if warning.code == DOWNLOAD_WARNING
        )
    if kind in (WAITS, REQUESTS):
        tables["waits"] = _waits_table(recording, places)
    if kind == COUNTERS:
        tables["slots"] = _slots_table(recording)
    logs = sorted(recording.path.glob("*.hlog"))
    if logs:
        tables["latency"] = _latency_table(recording, logs)
    return RecordingTables(tables, warnings)


def times_of(recording: Recording) -> tuple[int, int]:
    """Return begin and end in nanoseconds since 1970."""
    manifest = recording.manifest
    assert manifest is not None
    begin_ns = manifest.start_realtime_ns or 0
    return begin_ns, begin_ns + (manifest.end_ns or manifest.start_ns) - manifest.start_ns


def _profile(recording: Recording, places: SymbolPlaces) -> Profile:
    from harness.profile.analysis import analyze  # noqa: PLC0415 - of one kind only
    from harness.profile.options import AnalysisOptions  # noqa: PLC0415

    return analyze(recording, AnalysisOptions(places=places)).profile


def profile_tables(profile: Profile, begin_ns: int, end_ns: int) -> dict[str, Columns]:
    """Return the tables samples and stacks of a profile."""
    nodes, inverse = np.unique(profile.weight_node, return_inverse=True)
    chains = [_chain(profile, int(node)) for node in nodes]
    keys = [_key(functions, modules) for functions, modules in chains]
    processes = [thread.process_name for thread in profile.threads]
    sums: dict[tuple[str, int], list[int]] = {}
    rows = zip(
        inverse.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        profile.weight_value.tolist(),
        strict=True,
    )
    for chain, thread, samples, value in rows:
        row = sums.setdefault((processes[thread], keys[chain]), [0, 0])
        row[0] += samples
        row[1] += value
    count = len(sums)
    stacks = dict(zip(keys, chains, strict=True))
    return {
        "samples": {
            "begin_ns": [begin_ns] * count,
            "end_ns": [end_ns] * count,
            "event": [profile.source.event] * count,
            "unit": [profile.source.unit] * count,
            "process": [process for process, _ in sums],
            "stack": [stack for _, stack in sums],
            "samples": [row[0] for row in sums.values()],
            "value": [row[1] for row in sums.values()],
        },
        "stacks": {
            "stack": list(stacks),
            "functions": [list(functions) for functions, _ in stacks.values()],
            "modules": [list(modules) for _, modules in stacks.values()],
        },
    }


def _chain(profile: Profile, node: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    functions, modules = [], []
    while node > 0:
        function = profile.functions[int(profile.node_function[node])]
        functions.append(_text(function.name))
        modules.append(_text(function.module))
        node = int(profile.node_parent[node])
    return tuple(reversed(functions)), tuple(reversed(modules))


def _text(name: str) -> str:
    """Return a name as valid UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _key(functions: tuple[str, ...], modules: tuple[str, ...]) -> int:
    content = "\0".join((*functions, *modules)).encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little", signed=True)


def _waits_table(recording: Recording, places: SymbolPlaces) -> Columns:
    from harness.waits.analysis import analyze_waits  # noqa: PLC0415 - of one kind only
    from harness.waits.build import waits_result  # noqa: PLC0415

    result = waits_result(analyze_waits(recording, places), recording=recording.path, report=None)
    begin_ns, end_ns = times_of(recording)
    rows = [
        (begin_ns, end_ns, group.process, group.name, group.threads, state, time_ns)
        for group in result.groups
        for state, time_ns in group.states_ns.items()
        if time_ns
    ]
    return _columns(("begin_ns", "end_ns", "process", "group", "threads", "state", "time_ns"), rows)


def _latency_table(recording: Recording, logs: list[Path]) -> Columns:
    from stallscope.histogram_encoding import encode  # noqa: PLC0415
    from stallscope.histograms import read_interval_log  # noqa: PLC0415

    begin_ns, end_ns = times_of(recording)
    rows = []
    for path in logs:
        merged = read_interval_log(path).merged()
        if merged is not None and merged.total:
            rows.append((begin_ns, end_ns, path.stem, encode(merged)))
    return _columns(("begin_ns", "end_ns", "log", "histogram"), rows)


def _slots_table(recording: Recording) -> Columns:
    from harness.topdown.report import recorded_measurement  # noqa: PLC0415
    from harness.topdown.result import topdown_result  # noqa: PLC0415

    result = topdown_result(recorded_measurement(recording.path))
    begin_ns, end_ns = times_of(recording)
    cycles = result.ipc.cycles if result.ipc is not None else None
    rows = [
        (begin_ns, end_ns, result.cpu, result.kind, name, node.possible / result.whole, cycles)
        for name, node in result.nodes.items()
        if node.level is not None and node.possible is not None
    ]
    return _columns(("begin_ns", "end_ns", "cpu", "kind", "node", "value", "cycles"), rows)


def _columns(names: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> Columns:
    return {name: [row[position] for row in rows] for position, name in enumerate(names)}
