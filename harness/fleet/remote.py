"""A host over ssh: a private directory with the collector, commands in it, and its files.

Each step is one connection with a constant script; values are quoted. The directory is removed at
the end, also after errors. ssh asks for nothing (BatchMode).
"""

import shlex
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stallscope.errors import StallscopeError

CONNECT_LIMIT_S = 15
STEP_LIMIT_S = 120.0
MAX_FILES = 100_000
_PREPARE = """
set -eu
umask 077
directory=$(mktemp -d "${TMPDIR:-/tmp}/stallscope.XXXXXXXXXX")
cat >"$directory/stallscope-collect"
chmod 700 "$directory/stallscope-collect"
printf '%s\\n' "$directory"
"$directory/stallscope-collect" --version
"""
_COLLECT = 'cd "$1" && shift && exec ./stallscope-collect --output run "$@"'
_FETCH = 'cd "$1" && exec tar -cf - run'
_REMOVE = 'case "$1" in */stallscope.??????????) rm -rf -- "$1" ;; esac'


class RemoteError(StallscopeError):
    """A step on a host failed; the message has the reason."""


@dataclass(frozen=True, slots=True)
class RemoteHost:
    """Runs steps on a host. ``ssh``: the program with further options."""

    destination: str
    ssh: tuple[str, ...] = ("ssh",)

    def prepare(self, collector: Path) -> tuple[str, str]:
        """Copy the collector; return the new directory, and the version that it prints there."""
        with collector.open("rb") as program:
            output = self._run(_PREPARE, (), STEP_LIMIT_S, stdin=program)
        lines = output.decode("utf-8", "replace").splitlines()
        if len(lines) != 2 or not lines[0].startswith("/"):
            raise RemoteError(
                f"{self.destination}: the collector did not start there",
                "it is for this machine's architecture and Linux 3.17 or newer",
            )
        return lines[0], lines[1]

    def collect(self, directory: str, arguments: Sequence[str], limit_s: float) -> int:
        """Return the exit status of the collector; RemoteError if it made no recording."""
        return self._status(_COLLECT, (directory, *arguments), limit_s)

    def fetch(self, directory: str, target: Path, max_bytes: int) -> None:
        """Copy the recording to ``target``, which must not exist; at most ``max_bytes``."""
        process = subprocess.Popen(
            self._words(_FETCH, (directory,)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                _extract(archive, target, max_bytes)
        except (tarfile.TarError, OSError) as error:
            raise RemoteError(
                f"{self.destination}: the recording cannot be fetched: {error}",
                "check the free space here, and the connection",
            ) from error
        finally:
            process.stdout.close()
            process.kill()
            process.communicate()

    def remove(self, directory: str) -> None:
        """Remove the directory on the host."""
        self._run(_REMOVE, (directory,), STEP_LIMIT_S)

    def _words(self, script: str, values: Sequence[str]) -> list[str]:
        command = " ".join(("sh -c", shlex.quote(script), "sh", *map(shlex.quote, values)))
        options = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_LIMIT_S}", "-T"]
        return [*self.ssh, *options, "--", self.destination, command]

    def _run(
        self,
        script: str,
        values: Sequence[str],
        limit_s: float,
        stdin: IO[bytes] | None = None,
    ) -> bytes:
        completed = self._completed(script, values, limit_s, stdin)
        if completed.returncode:
            raise RemoteError(f"{self.destination}: {_reason(completed)}", "check it by ssh")
        return completed.stdout

    def _status(self, script: str, values: Sequence[str], limit_s: float) -> int:
        completed = self._completed(script, values, limit_s, None)
        if completed.returncode not in (0, 4, 5):
            raise RemoteError(
                f"{self.destination}: {_reason(completed)}", "run stallscope doctor on that host"
            )
        return completed.returncode

    def _completed(
        self, script: str, values: Sequence[str], limit_s: float, stdin: IO[bytes] | None
    ) -> "subprocess.CompletedProcess[bytes]":
        try:
            return subprocess.run(
                self._words(script, values),
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                capture_output=True,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise RemoteError(
                f"{self.destination}: no answer within {limit_s:.0f} s", "raise --timeout"
            ) from error
        except OSError as error:
            raise RemoteError(
                f"cannot run {self.ssh[0]}: {error.strerror}", "install the client of OpenSSH"
            ) from error


def _reason(completed: "subprocess.CompletedProcess[bytes]") -> str:
    lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else f"exit status {completed.returncode}"


def _extract(archive: tarfile.TarFile, target: Path, max_bytes: int) -> None:
    """Write the regular files below run/; links, devices and other places are refused."""
    total = 0
    target.mkdir(mode=0o700)
    for number, member in enumerate(archive):
        parts = Path(member.name).parts
        if number > MAX_FILES or not parts or parts[0] != "run" or ".." in parts:
            raise tarfile.TarError(f"unexpected file {member.name[:100]!r}")
        place = target.joinpath(*parts[1:])
        if member.isdir():
            place.mkdir(mode=0o700, exist_ok=True)
            continue
        if not member.isreg():
            raise tarfile.TarError(f"{member.name[:100]!r} is not a regular file")
        total += member.size
        if total > max_bytes:
            raise tarfile.TarError(f"the recording has more than {max_bytes >> 20:,} MiB")
        content = archive.extractfile(member)
        assert content is not None
        with place.open("xb") as file:
            while chunk := content.read(1 << 20):
                file.write(chunk)
