"""Debug files from debuginfod servers, for the objects that matter to a profile.

Off unless servers are named, because a request names the program to the server. A file is
stored as ``.build-id/ab/cdef.debug`` in a directory of this user, which then serves as one more
debug directory: a file with another build id is ignored there. A download that was interrupted
goes on where it ended.

The protocol is that of elfutils: GET URL/buildid/BUILDID/debuginfo.
"""

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from stallscope import __version__
from stallscope.errors import UsageError
from stallscope.printable import printable
from stallscope.private_directory import cache_directory, private_directory
from topdown.stacks.profile_warning import DOWNLOAD_WARNING, ProfileWarning
from topdown.stacks.symbols.debug_files import find_debug_files
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

LEAST_SHARE = 0.01  # of the samples in whose stacks an object is
LARGEST_BYTES = 4 << 30
_BLOCK = 1 << 18
_SUFFIX = ".debug"
_PART = ".part"


class DebugInfoServers(Struct, frozen=True):
    """Servers in the order in which they are tried, and limits in seconds."""

    urls: tuple[str, ...]
    directory: Path
    answer_s: float = 30.0  # until a server sends something
    budget_s: float = 600.0  # for all files


def servers_of(text: str, directory: Path | None = None) -> DebugInfoServers:
    """Return the servers of a list of URLs separated by spaces, as DEBUGINFOD_URLS is.

    Raises UsageError for another scheme than HTTP or without a directory for the files.
    """
    urls = tuple(url.rstrip("/") for url in text.split())
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(
                f"debuginfod: {printable(url)} is not the URL of a server",
                "for example --debuginfod https://debuginfod.debian.net",
            )
    directory = directory or cache_directory("debuginfod")
    if not urls or directory is None:
        raise UsageError(
            "debuginfod needs a server, and a home directory for its files",
            "name a URL, or set DEBUGINFOD_URLS",
        )
    return DebugInfoServers(urls, directory)


def add_debug_files(
    capture: "Capture", sources: SymbolSources, servers: DebugInfoServers
) -> tuple[SymbolSources, tuple[ProfileWarning, ...]]:
    """Return the sources with the downloaded files, and warnings about those that are missing."""
    directories = (*sources.debug_directories, os.fsencode(servers.directory))
    extended = replace(sources, debug_directories=directories)
    objects = [mapped for mapped in hot_objects(capture) if _is_missing(mapped, extended)]
    warnings = []
    end_s = time.monotonic() + servers.budget_s
    try:
        with private_directory(servers.directory):
            pass
    except OSError as error:
        message = f"No debug file was downloaded: {servers.directory}: {error.strerror or error}."
        return sources, (ProfileWarning(DOWNLOAD_WARNING, message),)
    for mapped in objects:
        reason = fetch(mapped.build_id.hex(), servers, end_s)
        if reason:
            message = f"{printable(mapped.path)}: no debug file from debuginfod: {reason}."
            warnings.append(ProfileWarning(DOWNLOAD_WARNING, message))
    return extended, tuple(warnings)


def hot_objects(capture: "Capture") -> list["Object"]:
    """Return the files with a build id in at least 1 % of the samples' stacks, hottest first."""
    stacks, counts = np.unique(capture.stack, return_counts=True)
    offset, objects = capture.stack_offset, capture.objects
    samples = np.zeros(len(objects), np.int64)
    for stack, count in zip(stacks.tolist(), counts.tolist(), strict=True):
        frames = capture.stack_frame[offset[stack] : offset[stack + 1]]
        of_stack = np.unique(capture.frame_object[frames])
        samples[of_stack[of_stack >= 0]] += count
    least = LEAST_SHARE * len(capture.stack)
    hottest: dict[bytes, Object] = {}
    for number in np.argsort(-samples, kind="stable").tolist():
        mapped = objects[number]
        is_file = mapped.path.startswith(b"/") and not mapped.kernel
        if is_file and mapped.build_id and samples[number] >= max(least, 1):
            hottest.setdefault(bytes(mapped.build_id), mapped)
    return list(hottest.values())


def _is_missing(mapped: "Object", sources: SymbolSources) -> bool:
    """Return whether no debug information of an object is on this system."""

    def read(_request: bytes) -> Iterator[bytes]:
        with ExitStack() as files:
            if find_debug_files(mapped, sources, files) is not None:
                yield b"present"

    with LimitedReader(read, budget=sources.budget) as reader:
        return reader.output(b"", sources.limits).content != b"present"


def fetch(build_id: str, servers: DebugInfoServers, end_s: float) -> str:
    """Return why the debug file of a build id is not there; empty if it was downloaded."""
    folder = servers.directory / ".build-id" / build_id[:2]
    file = folder / f"{build_id[2:]}{_SUFFIX}"
    reasons = []
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.exists():
            return ""
        part = file.with_name(file.name + _PART)
        for url in servers.urls:
            reason = _download(f"{url}/buildid/{build_id}/debuginfo", part, servers, end_s)
            if not reason:
                part.replace(file)
                return ""
            reasons.append(f"{urlsplit(url).netloc}: {reason}")
    except OSError as error:
        reasons.append(error.strerror or str(error))
    return printable("; ".join(reasons))


def _download(url: str, part: Path, servers: DebugInfoServers, end_s: float) -> str:
    """Append the rest of a file to its part; return why it is not complete, empty if it is."""
    kept = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": f"stallscope/{__version__}"}
    if kept:
        headers["Range"] = f"bytes={kept}-"
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was checked
    limit_s = min(servers.answer_s, end_s - time.monotonic())
    if limit_s <= 0:
        return "the time limit was reached"
    try:
        with urllib.request.urlopen(request, timeout=limit_s) as answer:  # noqa: S310
            return _append(answer, part, kept, end_s)
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink(missing_ok=True)  # longer than the file: it belongs to another one
        return f"HTTP status {error.code}"
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError) as error:
        return f"the connection failed: {getattr(error, 'reason', error)}"


def _append(answer: http.client.HTTPResponse, part: Path, kept: int, end_s: float) -> str:
    is_rest = answer.status == http.client.PARTIAL_CONTENT
    start = f"bytes {kept}-"
    if is_rest and not answer.headers.get("Content-Range", "").startswith(start):
        return "the server sent another part of the file"
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    flags |= os.O_APPEND if is_rest else os.O_TRUNC
    size = kept if is_rest else 0
    with open(os.open(part, flags, 0o600), "wb") as out:
        while True:
            block = answer.read(_BLOCK)
            size += len(block)
            if size > LARGEST_BYTES:
                return f"it is larger than {LARGEST_BYTES >> 30} GiB"
            if not block:
                break
            out.write(block)
            if time.monotonic() > end_s:
                return "the time limit was reached; the next run continues the download"
    if answer.length:  # what the server announced and did not send
        return "the connection was closed early; the next run continues the download"
    return ""
