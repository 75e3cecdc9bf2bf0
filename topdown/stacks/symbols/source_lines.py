"""Source lines and inlined functions of the hottest addresses, read in a separate process."""

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
_MAX_INLINED = 64
_GRACE_S = 1.0  # the worker's CPU time limit should take effect first
_WORKER = "topdown.stacks.symbols.dwarf_worker"
_START = f"import sys; sys.path[:] = sys.argv[1:]; from {_WORKER} import main; main()"


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The source location of an address.

    ``inlined``: linkage names of the functions inlined there, outermost first.
    """

    line: str | None  # "path:line", of the innermost function
    inlined: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Source locations of frames, and warnings about missing ones."""

    locations: dict[int, SourceLocation]  # by frame
    warnings: tuple[ProfileWarning, ...]


def find_source_lines(
    capture: "Capture",
    frames: npt.NDArray[np.intp],
    sources: SymbolSources,
    *,
    budget_s: float = 10.0,
) -> SourceLines:
    """Return the source locations of these frames, which are sorted by descending samples.

    Addresses that are not resolved within ``budget_s`` seconds are skipped and counted in a
    warning. Each file gets an equal part of the remaining time.
    """
    locations: dict[int, SourceLocation] = {}
    warnings: list[ProfileWarning] = []
    end_s = time.monotonic() + budget_s
    late = 0
    objects = capture.frame_object[frames]
    numbers = list(dict.fromkeys(objects.tolist()))
    for index, number in enumerate(numbers):
        rows = frames[objects == number]
        mapped = capture.objects[number] if number >= 0 else None
        if mapped is None or mapped.kernel or not mapped.path.startswith(b"/"):
            continue
        with ExitStack() as files:
            binary = find_binary(mapped, sources, files)
            if isinstance(binary, ProfileWarning):
                continue
            addresses, known = addresses_of(_loads(binary.main), capture.frame_address[rows])
            frame_addresses = dict(
                zip(rows[known].tolist(), addresses[known].tolist(), strict=True)
            )
            part_s = (end_s - time.monotonic()) / (len(numbers) - index)
            answers, skipped = _ask_worker(
                _debug_file(binary.main, binary.debug), frame_addresses, part_s
            )
        late += skipped
        locations.update(
            (frame, answers[address])
            for frame, address in frame_addresses.items()
            if address in answers
        )
    if late:
        message = (
            f"{late} addresses have no source lines: the time limit of {budget_s:g} s was reached."
        )
        warnings.append(ProfileWarning("lines-cut", message))
    return SourceLines(locations, tuple(warnings))


def _loads(file: ElfFile) -> npt.NDArray[np.void]:
    return np.asarray(file.segments[file.segments["type"] == PT_LOAD])


def _debug_file(main: ElfFile, debug: ElfFile | None) -> RegularFile | None:
    """Return the file with debug information, None if there is none."""
    for file in (debug, main):
        try:
            if file is not None and file.section(b".debug_info") is not None:
                return file.source if isinstance(file.source, RegularFile) else None
        except ElfError:
            continue
    return None


def _ask_worker(
    file: RegularFile | None, addresses: dict[int, int], limit_s: float
) -> tuple[dict[int, SourceLocation], int]:
    """Return the locations by address, and the number of addresses skipped for lack of time."""
    if file is None or not addresses:
        return {}, 0
    if limit_s <= 0:
        return {}, len(addresses)
    request = {
        "fd": file.descriptor,
        "addresses": list(addresses.values()),
        "seconds": max(1, round(limit_s)),
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
            output, _ = worker.communicate(json.dumps(request).encode() + b"\n", limit_s + _GRACE_S)
            cut = worker.returncode < 0
        except subprocess.TimeoutExpired as expired:
            worker.kill()
            output, cut = expired.stdout or b"", True
    locations = dict(_answers(output))
    missing = sum(address not in locations for address in addresses.values())
    return locations, missing if cut else 0


def _package_root() -> Path:
    return Path(__file__).resolve().parents[3]


def _answers(output: bytes) -> Iterator[tuple[int, SourceLocation]]:
    for line in output.split(b"\n"):
        if not line or len(line) > _ANSWER_LIMIT:
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            continue  # incomplete: the worker was killed
        names = [name.encode()[:MAX_NAME_LENGTH] for name, _ in answer["inlined"][:_MAX_INLINED]]
        yield answer["address"], SourceLocation(answer["line"], tuple(names))
