"""The text of `perf script`: folded as stackcollapse-perf does, or read as a profile."""

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct

from stallscope._native import PerfScriptSamples
from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import ProfileBuilder, kind_of
from topdown.stacks.formats.sample_track import MAX_TIMED_SAMPLES
from topdown.stacks.profile import (
    FunctionKind,
    Profile,
    SampleSource,
    Thread,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.sources import SymbolSources

_IDS = re.compile(r"(.*)-(\?|\d+)/(\d+)", re.DOTALL)
_KERNEL_FILE = re.compile(r"\[(?!unknown\]|vdso\]|vsyscall\]|stack\]|heap\])[^\]]*\]")
_CLOCKS = ("cpu-clock", "task-clock")
_UNKNOWN = "[unknown]"
_MODIFIERS = re.compile("[ukhvpPGHISDWeb]+")  # after the last colon of an event, as in perf-list(1)


class FoldedNames(Struct, frozen=True):
    """How names are written in folded text; the options of stackcollapse-perf.

    ``event``: samples of this event; empty: of the first one in the text.
    """

    process_ids: bool = False
    thread_ids: bool = False
    kernel: bool = False  # "_[k]" after functions of the kernel
    jit: bool = False  # "_[j]" after functions of a JIT compiler's map
    addresses: bool = False  # of unknown functions
    inline: bool = False  # functions of files by their debug information
    event: str = ""


_DEFAULT_NAMES = FoldedNames()


def fold_perf_script(
    path: Path, name: str, names: FoldedNames = _DEFAULT_NAMES
) -> tuple[bytes, str]:
    """Return folded stacks weighted by periods, and a warning or an empty text.

    RecordingError if the text has no sample.
    """
    samples = PerfScriptSamples(
        shorten=True,
        kernel=names.kernel,
        jit=names.jit,
        addresses=names.addresses,
        process_ids=names.process_ids,
        thread_ids=names.thread_ids,
        event=names.event,
        by_address=names.inline,
    )
    _read(samples, path, name)
    warnings = [_warning(samples)]
    if names.inline:
        warnings += _name_addresses(samples)
    return samples.folded(), "; ".join(filter(None, warnings))


def _name_addresses(samples: PerfScriptSamples) -> Iterator[str]:
    """Name the functions at the addresses in files by their debug information; yield warnings."""
    from topdown.stacks.symbols.address_functions import (  # noqa: PLC0415 - for one option only
        TextAddress,
        read_functions,
    )

    files: dict[bytes, dict[int, TextAddress]] = {}
    for number, (file, address, symbol, offset) in enumerate(samples.file_addresses()):
        files.setdefault(file, {})[number] = TextAddress(address, symbol, offset)
    functions = read_functions(files, SymbolSources())
    for number, names in functions.names.items():
        text = ";".join(name.replace(";", ":") for name in names)
        samples.set_names(number, text.encode("utf-8", "replace"))
    yield functions.warning
    if samples.expanded_frames:
        yield (
            f"{samples.expanded_frames:,} frames keep the inlined functions of the text; "
            "perf script --no-inline writes a text without them"
        )


def read_perf_script(path: Path, name: str, event: str = "") -> Profile:
    """Return the samples of an event; of the first one in the text if ``event`` is empty.

    Their times are kept, up to a limit.
    """
    samples = PerfScriptSamples(
        shorten=False,
        kernel=False,
        jit=False,
        addresses=False,
        process_ids=True,
        thread_ids=True,
        event=event,
        max_times=MAX_TIMED_SAMPLES,
    )
    _read(samples, path, name)
    builder = ProfileBuilder()
    names = [_text(name) for name in samples.names()]
    files = [_text(name) for name in samples.files()]
    functions = [
        _function(builder, names[number], files[file], is_inlined=inlined)
        for number, file, inlined in samples.functions()
    ]
    threads = [builder.thread(_thread(_text(command))) for command in samples.commands()]
    frames = samples.frames().tolist()
    stacks = samples.stacks()
    rows = zip(*(column.tolist() for column in stacks.values()), strict=True)
    nodes = []
    for command, begin, size, count, period in rows:
        stack = (functions[frame] for frame in reversed(frames[begin : begin + size]))
        nodes.append(builder.add(stack, threads[command], samples=count, value=period))
    _add_times(builder, samples, nodes, threads)
    warning = _warning(samples)
    warnings = (ProfileWarning("import", warning),) if warning else ()
    duration_ns = samples.duration_ns
    duration_s = math.nan if duration_ns is None else duration_ns / 1e9
    return builder.build(_source(samples), name, duration_s=duration_s, warnings=warnings)


def _add_times(
    builder: ProfileBuilder, samples: PerfScriptSamples, nodes: list[int], threads: list[int]
) -> None:
    if samples.has_too_many_times:
        builder.track.drop()
        return
    times = samples.times()
    stack = times["stack"]
    commands = samples.stacks()["command"]
    builder.track.extend(
        times["time_ns"],
        node=np.array(nodes, np.int32)[stack],
        thread=np.array(threads, np.int32)[commands][stack],
        value=times["period"],
    )


def _source(samples: PerfScriptSamples) -> SampleSource:
    """Return the source: without a period, a sample counts as 1, whatever the event is."""
    event = _text(samples.event) or "samples"
    name, _, modifiers = event.partition(":")
    unit = "ns" if name in _CLOCKS else "events"
    if samples.without_period:
        unit = "samples"
    return SampleSource(event, "measured", unit, None, None, _scope(modifiers.rpartition(":")[2]))


def _scope(modifiers: str) -> str:
    """Return the modes that were sampled. perf names a mode if it leaves out the other one."""
    is_user, is_kernel = "u" in modifiers, "k" in modifiers
    if not _MODIFIERS.fullmatch(modifiers) or is_user == is_kernel:
        return "user+kernel"
    return "user" if is_user else "kernel"


def _read(samples: PerfScriptSamples, path: Path, name: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        samples.read(descriptor)
    finally:
        os.close(descriptor)
    if len(samples.stacks()["samples"]):
        return
    events = ", ".join(_text(event) for event, _ in samples.events()[:8])
    if events:
        raise RecordingError(f"{name} has no sample of this event", f"its events: {events}")
    raise RecordingError(
        f"{name} has no sample in the text of perf script",
        "write the file with: perf script -F +pid,+tid > FILE",
    )


def _warning(samples: PerfScriptSamples) -> str:
    parts = []
    if samples.malformed_lines:
        first = samples.first_malformed_line
        parts.append(
            f"{samples.malformed_lines:,} malformed lines are left out, the first is {first}"
        )
    if samples.endless:
        parts.append("reading stopped at a line without an end")
    samples_read = int(samples.stacks()["samples"].sum())
    if 0 < samples.without_period < samples_read:
        parts.append(
            f"{samples.without_period:,} of {samples_read:,} samples have no period and count as 1"
        )
    others = [(name, count) for name, count in samples.events() if name != samples.event]
    if others:
        texts = ", ".join(f"{_text(name)} ({count:,} samples)" for name, count in others[:8])
        parts.append(f"other events are left out: {texts}")
    return "; ".join(parts)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _function(builder: ProfileBuilder, name: str, file: str, *, is_inlined: bool) -> int:
    if file == "inlined":
        return builder.function(name, "", FunctionKind.INLINED)
    if _KERNEL_FILE.match(file) or file.endswith("vmlinux"):
        module = "[kernel]" if file.startswith("[kernel") or file.endswith("vmlinux") else file
        kind = FunctionKind.UNKNOWN if name == _UNKNOWN else FunctionKind.KERNEL
        return builder.function(name, module, kind)
    if is_inlined:
        return builder.function(name, file, FunctionKind.INLINED)
    return builder.function(name, file, kind_of(name, file))


def _thread(command: str) -> Thread:
    match = _IDS.fullmatch(command)
    if match is None:
        return Thread(0, 0, command, command)
    name, pid, tid = match.groups()
    thread = int(tid[:18])
    return Thread(thread if pid == "?" else int(pid[:18]), thread, name, name)
