"""One host: the collector is copied, runs, and its recording is fetched in one ssh connection.

The shell of the host runs a constant script. It reads the collector from its standard input, and
then waits for the end of the recording, or for the end of the connection, which ends the collector
(--control-fd=0). Its temporary directory is removed in every case that a shell can handle; the
recording is written to standard output as a tar archive.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

from harness.fleet.record.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from stallscope.archives import ArchiveLimits, extract_archive
from stallscope.collector import PROTOCOL
from stallscope.documents import read_bounded
from stallscope.errors import RecordingError, StallscopeError, TargetError, UsageError
from stallscope.recordings import MANIFEST, Recording, open_recording

_FOLDER = "run"
_STDERR_BYTES = 4096
_MAX_COLLECTOR_BYTES = 256 << 20
_SCRIPT = """
umask 077
fail() { echo "stallscope-fleet: $1" >&2; exit 70; }
[ "$(uname -m)" = "$1" ] || fail "the host is $(uname -m), the collector is for $1"
d=$(mktemp -d "${TMPDIR:-/tmp}/stallscope-fleet.XXXXXX") || fail "cannot create a directory"
trap 'rm -rf "$d"' EXIT
trap 'exit 75' HUP INT TERM PIPE
head -c "$2" > "$d/stallscope-collect" || fail "cannot store the collector: disk full?"
s=$(sha256sum < "$d/stallscope-collect") || fail "sha256sum is missing"
[ "${s%% *}" = "$3" ] || fail "the collector arrived damaged: disk full?"
chmod 700 "$d/stallscope-collect" || fail "chmod failed"
shift 3
"$d/stallscope-collect" --control-fd=0 -o "$d/run" "$@" >&2
code=$?
[ -f "$d/run/recording.json" ] || fail "no recording (status $code)"
rm -f "$d/stallscope-collect"
tar -C "$d" -cf - run || fail "tar failed"
exit 0
"""


@dataclass(frozen=True, slots=True)
class CollectorFile:
    """A static collector with its architecture as uname names it."""

    path: Path
    architecture: str
    size: int
    sha256: str


def collector_file(path: Path) -> CollectorFile:
    """Return a collector; UsageError if the file is not an ELF program for a known CPU."""
    remedy = "name a stallscope-collect program with --collector"
    try:
        content = read_bounded(path, _MAX_COLLECTOR_BYTES)
    except RecordingError as error:
        raise UsageError(error.message, remedy) from error
    machine = int.from_bytes(content[18:20], "little")
    architecture = {0x3E: "x86_64", 0xB7: "aarch64"}.get(machine)
    if content[:4] != b"\x7fELF" or architecture is None:
        raise UsageError(f"{path} is not a collector", remedy)
    return CollectorFile(path, architecture, len(content), hashlib.sha256(content).hexdigest())


def ssh_command(host: Host, options: FleetRecordOptions, collector: CollectorFile) -> list[str]:
    """Return the ssh command line; every argument of the host's shell is quoted."""
    words = ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes"]
    words += ["-o", f"ConnectTimeout={max(1, round(options.connect_timeout_s))}"]
    words += ["-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"]
    words += ["-F", str(options.ssh_config)] if options.ssh_config is not None else []
    words += ["-p", str(host.port)] if host.port is not None else []
    words += ["-l", host.user] if host.user else []
    arguments = [collector.architecture, str(collector.size), collector.sha256]
    arguments += [f"--protocol={PROTOCOL}", *options.collector_options]
    script = shlex.join(["sh", "-c", _SCRIPT, "stallscope-fleet", *arguments])
    return [*words, "--", host.name.strip("[]"), script]


def record_host(
    host: Host, options: FleetRecordOptions, collector: CollectorFile, stop: threading.Event
) -> tuple[Recording, float]:
    """Return the fetched recording and the time it took in seconds.

    Raises StallscopeError if the host refuses, exceeds the time limit, has no room, runs another
    version, or if its archive is refused.
    """
    begin_s = time.monotonic()
    partial = Path(tempfile.mkdtemp(prefix=f".{host.folder}-", dir=options.output))
    try:
        _transfer(host, options, collector, partial, stop)
        folder = partial / _FOLDER
        recording = open_recording(folder)
        _check_version(folder)
        target = options.output / host.folder
        if target.exists():
            from harness.fleet.dataset.build import part_of  # noqa: PLC0415 - start-up stays light
            from harness.fleet.dataset.parts import remove_other_parts  # noqa: PLC0415

            with suppress(StallscopeError):  # its part of the data set, if there is one
                remove_other_parts(part_of(options.output, target))
            shutil.rmtree(target)  # an unfinished recording of an earlier run
        recording.path.rename(target)
        return open_recording(target), time.monotonic() - begin_s
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _transfer(
    host: Host,
    options: FleetRecordOptions,
    collector: CollectorFile,
    target: Path,
    stop: threading.Event,
) -> None:
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            ssh_command(host, options, collector),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        assert process.stdin is not None
        assert isinstance(process.stdout, BufferedReader)
        expired = threading.Event()
        watch = threading.Thread(target=_end_late, args=(process, options, expired, stop))
        watch.start()
        refusal: StallscopeError | OSError | None = None
        has_content = False
        try:
            with suppress(BrokenPipeError, ConnectionError):
                process.stdin.write(collector.path.read_bytes())
                process.stdin.flush()
            has_content = bool(process.stdout.peek(1))
            limits = ArchiveLimits(files=1000, size_bytes=options.max_bytes)
            extract_archive(process.stdout, target, host.text, limits)
        except (RecordingError, OSError) as error:
            refusal = error
        finally:
            if refusal is not None:  # the host must not wait until its output is read
                with suppress(BrokenPipeError, ConnectionError):
                    process.stdin.close()
                process.stdout.close()
            process.wait()
            watch.join()
            with suppress(BrokenPipeError, ConnectionError):
                process.stdin.close()
        message, is_from_script = _last_line(errors)
    if stop.is_set():
        raise TargetError("interrupted", "run the command again")
    if expired.is_set():
        raise TargetError(f"no recording within {options.timeout_s:g} s", "raise --timeout")
    # A refused archive ends ssh as well: its status is the cause only without an archive.
    if process.returncode != 0 and (refusal is None or is_from_script or not has_content):
        raise TargetError(message or f"ssh ended with status {process.returncode}", "")
    if refusal is not None:
        raise refusal


def _end_late(
    process: "subprocess.Popen[bytes]",
    options: FleetRecordOptions,
    expired: threading.Event,
    stop: threading.Event,
) -> None:
    end_s = time.monotonic() + options.timeout_s
    while process.poll() is None:
        if stop.wait(0.02):
            process.terminate()
            return
        if time.monotonic() > end_s:
            expired.set()
            process.kill()
            return


def _last_line(errors: IO[bytes]) -> tuple[str, bool]:
    """Return the last line of the host's messages, and whether it is one of the script.

    A line of the script precedes others.
    """
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _STDERR_BYTES))
    lines = [line for line in errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("stallscope-fleet: ")]
    cause = [line for line in lines if line.startswith("stallscope-collect: ")]
    if ours:
        text = ours[-1].removeprefix("stallscope-fleet: ")
        return f"{text}: {cause[-1]}" if cause and "no recording" in text else text, True
    return lines[-1] if lines else "", False


def _check_version(folder: Path) -> None:
    from stallscope import __version__  # noqa: PLC0415
    from stallscope.documents import Record, read_document  # noqa: PLC0415

    class _Tool(Record, frozen=True):
        version: str = ""

    class _Header(Record, frozen=True):
        tool: _Tool = _Tool()

    version = read_document(folder / MANIFEST, _Header).tool.version
    if version != __version__:
        raise TargetError(
            f"the collector is version {version}, expected {__version__}",
            "use the collector of this installation",
        )
