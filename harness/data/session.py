"""Reading a recording's loads: by type information, and by data address if it has them."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.data.result import (
    CacheLine,
    DataAddresses,
    DataResult,
    FalseSharingPair,
    FieldLoads,
    HotLoadsResult,
    LevelAccesses,
    NodeAccesses,
    SharedWord,
)
from harness.data.traces import traced_accesses
from harness.recordings.captures import check_has_samples, read_samples, symbol_sources
from stallscope.errors import RecordingError
from stallscope.printable import printable
from stallscope.recordings import open_recording
from topdown.data.accesses import LEVELS, Accesses, sampled_accesses
from topdown.data.cache_lines import LineUse, WordUse, false_sharing, line_uses
from topdown.data.hot_loads import HotLoads, hot_loads, leaf_frames
from topdown.data.load_kinds import FieldName, LoadKind
from topdown.data.memory_nodes import node_matrix
from topdown.stacks.symbols.symbolizer import FrameSelection, NamedFrames, Symbolizer
from topdown.stacks.unwinding.tables import UnwindTables

if TYPE_CHECKING:
    from stallscope._native import Capture

MAX_LINES = 200
MAX_FIELDS = 500
_MAX_THREADS = 16  # named per word
_USER, _UNKNOWN = 0, 5  # kinds of frames
NO_ADDRESSES = (
    "the recording has no data addresses; on a machine with PEBS, IBS or SPE, record them with: "
    "perf mem record, or perf c2c record"
)


def data_of_recording(path: Path, places: SymbolPlaces = DEFAULT_PLACES) -> DataResult:
    """Return the data that the loads of a recording read; ``places``: of debug files.

    Raises RecordingError if the recording is unreadable, or has neither samples nor a trace.
    """
    recording = open_recording(path)
    check_has_samples(recording)
    sources = places.added_to(symbol_sources(recording))
    capture = read_samples(recording, UnwindTables(sources))
    sources, server_warnings = places.downloaded(capture, sources)
    leaves = leaf_frames(capture)
    traced = traced_accesses(capture, recording.samples)
    if not len(leaves) and not len(traced.accesses):
        raise RecordingError(
            f"the recording {recording.path} is empty: it has no samples",
            "the target used no CPU while it was recorded; record it under load, or longer",
        )
    sampled = sampled_accesses(capture, leaves)
    has_addresses = len(sampled) > 0
    chosen = sampled.sample if has_addresses else _user_samples(capture, leaves)
    loads = hot_loads(capture, chosen.astype(np.intp), sources, after=not has_addresses)
    names = _named(capture, leaves[chosen], Symbolizer(sources))
    accesses = traced.accesses if len(traced.accesses) else sampled
    frames = _Frames(capture, loads, names)
    addresses = _addresses(capture, accesses, frames) if len(accesses) else None
    warnings = [warning.message for warning in (*server_warnings, *loads.warnings)]
    warnings += traced.warnings
    return DataResult(
        recording=str(recording.path),
        hot_loads=_hot_loads(loads, frames, leaves[chosen], sampled if has_addresses else None),
        addresses=addresses,
        addresses_missing=None if addresses is not None else NO_ADDRESSES,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class _Frames:
    """Functions and fields by leaf frame, threads by index."""

    capture: "Capture"
    loads: HotLoads
    names: NamedFrames

    def function(self, frame: int) -> str:
        """Return the function of a frame, empty if it is not known."""
        number = int(self.names.function[frame]) if frame >= 0 else -1
        return printable(self.names.functions[number].name) if number >= 0 else ""

    def field(self, frame: int) -> str:
        """Return the field that the load of a frame reads, empty if it is not known."""
        name = self.loads.frame_fields.get(frame)
        return printable(name.text) if name is not None else ""

    def thread(self, index: int) -> str:
        """Return the name of a thread; of a trace without threads, that of the CPU."""
        if index < 0:
            return f"CPU {-2 - index}"
        threads = self.capture.threads
        if index >= len(threads):
            return f"thread {index}"
        return f"{printable(threads[index].name)} ({threads[index].tid})"


def _user_samples(capture: "Capture", leaves: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the samples of the first event whose leaf is user code."""
    kinds = capture.frame_kind
    is_user = np.zeros(len(leaves), np.bool_)
    has_leaf = leaves >= 0
    is_user[has_leaf] = np.isin(kinds[leaves[has_leaf]], (_USER, _UNKNOWN))
    return np.flatnonzero(is_user & (capture.event == 0)).astype(np.int64)


def _named(
    capture: "Capture", frames: npt.NDArray[np.int64], symbolizer: Symbolizer
) -> NamedFrames:
    selected = np.zeros(len(capture.frame_address), np.bool_)
    selected[frames[frames >= 0]] = True
    return symbolizer.name_frames(capture, FrameSelection(selected, np.zeros_like(selected)))


def _hot_loads(
    loads: HotLoads, frames: _Frames, leaves: npt.NDArray[np.int64], accesses: Accesses | None
) -> HotLoadsResult:
    weights = Counter(leaves.tolist())
    misses = None if accesses is None else Counter(accesses.frame[accesses.misses].tolist())
    by_field: dict[FieldName, list[int]] = {}
    for frame, field in loads.frame_fields.items():
        by_field.setdefault(field, []).append(frame)
    rows = []
    for field, samples in ((entry.name, entry.samples) for entry in loads.fields[:MAX_FIELDS]):
        here = by_field[field]
        hottest = max(here, key=lambda frame: weights[frame])
        rows.append(
            FieldLoads(
                type=printable(field.type_name),
                field=printable(field.field),
                function=frames.function(hottest),
                samples=samples,
                misses=None if misses is None else sum(misses[frame] for frame in here),
            )
        )
    count = loads.kinds.get
    return HotLoadsResult(
        source="modelled",
        samples=loads.samples,
        resolved=count(LoadKind.RESOLVED, 0),
        unresolved=count(LoadKind.UNRESOLVED, 0),
        undetermined=count(LoadKind.UNDETERMINED, 0),
        other=count(LoadKind.OTHER, 0),
        untyped=count(LoadKind.UNTYPED, 0),
        fields=tuple(rows),
    )


def _addresses(capture: "Capture", accesses: Accesses, frames: _Frames) -> DataAddresses:
    lines = line_uses(accesses, MAX_LINES)
    matrix = node_matrix(accesses, capture.nodes)
    return DataAddresses(
        source="measured",
        accesses=len(accesses),
        misses=int(accesses.misses.sum()),
        levels=_levels(accesses),
        lines=tuple(_line(line, frames) for line in lines),
        false_sharing=tuple(
            FalseSharingPair(
                address=pair.line.address,
                pid=pair.line.process,
                modified=pair.line.modified,
                first=_word(pair.first, frames),
                second=_word(pair.second, frames),
            )
            for pair in false_sharing(lines)
        ),
        nodes=None
        if matrix is None
        else tuple(
            NodeAccesses(
                cpu_node=pair.cpu_node,
                memory_node=pair.memory_node,
                accesses=pair.accesses,
                mean_latency=pair.mean_latency,
            )
            for pair in matrix.pairs
        ),
        unknown_nodes=0 if matrix is None else matrix.unknown,
    )


def _levels(accesses: Accesses) -> tuple[LevelAccesses, ...]:
    rows = []
    for number, level in enumerate(LEVELS):
        here = accesses.level == number
        if not here.any():
            continue
        latencies = accesses.latency[here & (accesses.latency > 0)]
        stores = int(accesses.is_store[here].sum())
        rows.append(
            LevelAccesses(
                level=level.value,
                loads=int(here.sum()) - stores,
                stores=stores,
                mean_latency=float(latencies.mean()) if len(latencies) else None,
            )
        )
    return tuple(rows)


def _line(line: LineUse, frames: _Frames) -> CacheLine:
    return CacheLine(
        address=line.address & (2**63 - 1),
        pid=line.process,
        accesses=line.accesses,
        misses=line.misses,
        modified=line.modified,
        words=tuple(_word(word, frames) for word in line.words),
    )


def _word(word: WordUse, frames: _Frames) -> SharedWord:
    return SharedWord(
        offset=word.offset,
        loads=word.loads,
        stores=word.stores,
        misses=word.misses,
        modified=word.modified,
        threads=tuple(frames.thread(index) for index in word.threads[:_MAX_THREADS]),
        function=frames.function(word.frame),
        field=frames.field(word.frame),
    )
