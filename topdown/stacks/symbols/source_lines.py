"""Source lines and inlined functions of the hottest addresses, read in a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH
from stallscope.regular_file import RegularFile
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile, addresses_of
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbols.binaries import find_binary
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture

_MEMORY_BYTES = 2 << 30
_ANSWER_LIMIT = 1 << 20
_INLINED_AT_MOST = 64
_GRACE_S = 1.0  # the worker's own limit counts CPU time, and should come first
_WORKER = "topdown.stacks.symbols.dwarf_worker"
_START = f"import sys; sys.path[:] = sys.argv[1:]; from {_WORKER} import main; main()"


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where an address stands in the source.

    ``inlined``: linkage names of the functions inlined there, outermost first.
    """

    line: str | None  # "path:line", of the innermost function
    inlined: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """The source places of frames, and warnings that say what is missing."""

    places: dict[int, SourcePlace]  # by frame
    warnings: tuple[ProfileWarning, ...]


def find_source_lines(
    capture: "Capture",
    frames: npt.NDArray[np.intp],
    sources: SymbolSources,
    *,
    budget_s: float = 10.0,
) -> SourceLines:
    """Return the source places of the given frames of files, those of most samples first.

    What is not found within ``budget_s`` seconds is left out, and a warning says how many. Each
    file may take its part of the time left, so that a large one leaves some for those behind it.
    """
    places: dict[int, SourcePlace] = {}
    warnings: list[ProfileWarning] = []
    end_s = time.monotonic() + budget_s
    late = 0
    objects = capture.frame_object[frames]
    numbers = list(dict.fromkeys(objects.tolist()))
    for turn, number in enumerate(numbers):
        rows = frames[objects == number]
        mapped = capture.objects[number] if number >= 0 else None
        if mapped is None or mapped.kernel or not mapped.path.startswith(b"/"):
            continue
        with ExitStack() as files:
            binary = find_binary(mapped, sources, files)
            if isinstance(binary, ProfileWarning):
                continue
            addresses, known = addresses_of(_loads(binary.main), capture.frame_address[rows])
            asked = dict(zip(rows[known].tolist(), addresses[known].tolist(), strict=True))
            part_s = (end_s - time.monotonic()) / (len(numbers) - turn)
            answers, cut = _ask(_debug_file(binary.main, binary.debug), asked, part_s)
        late += cut
        places.update(
            (frame, answers[address]) for frame, address in asked.items() if address in answers
        )
    if late:
        message = f"{late} addresses have no source lines: the time for reading them was over."
        warnings.append(ProfileWarning("lines-cut", message))
    return SourceLines(places, tuple(warnings))


def _loads(file: ElfFile) -> npt.NDArray[np.void]:
    return np.asarray(file.segments[file.segments["type"] == PT_LOAD])


def _debug_file(main: ElfFile, debug: ElfFile | None) -> RegularFile | None:
    """Return the file that has the debug information, None where neither has."""
    for file in (debug, main):
        try:
            if file is not None and file.section(b".debug_info") is not None:
                return file.source if isinstance(file.source, RegularFile) else None
        except ElfError:
            continue
    return None


def _ask(
    file: RegularFile | None, asked: dict[int, int], left_s: float
) -> tuple[dict[int, SourcePlace], int]:
    """Return the places by address, and how many addresses the time did not suffice for."""
    if file is None or not asked:
        return {}, 0
    if left_s <= 0:
        return {}, len(asked)
    request = {
        "fd": file.descriptor,
        "addresses": list(asked.values()),
        "seconds": max(1, round(left_s)),
        "bytes": _MEMORY_BYTES,
    }
    paths = [path for path in sys.path if path.startswith("/")]
    command = [sys.executable, "-I", "-c", _START, str(_package_root()), *paths]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[file.descriptor],
    ) as worker:
        try:
            output, _ = worker.communicate(json.dumps(request).encode() + b"\n", left_s + _GRACE_S)
            cut = worker.returncode < 0
        except subprocess.TimeoutExpired as expired:
            worker.kill()
            output, cut = expired.stdout or b"", True
    found = dict(_answers(output))
    return found, sum(address not in found for address in asked.values()) if cut else 0


def _package_root() -> Path:
    return Path(__file__).resolve().parents[3]


def _answers(output: bytes) -> Iterator[tuple[int, SourcePlace]]:
    for line in output.split(b"\n"):
        if not line or len(line) > _ANSWER_LIMIT:
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            continue  # cut off by force
        names = [
            name.encode()[:MAX_NAME_LENGTH] for name, _ in answer["inlined"][:_INLINED_AT_MOST]
        ]
        yield answer["address"], SourcePlace(answer["line"], tuple(names))
