"""The hottest functions, from short recordings at 49 Hz in a process beside the view."""

import subprocess
import sys
import tempfile
from pathlib import Path

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.profile.result import ProfileResult
from harness.top.result import FunctionShare
from stallscope.documents import decode
from stallscope.errors import StallscopeError

FREQUENCY_HZ = 49
DURATION_S = 3
MOST_FUNCTIONS = 12
_LIMIT_S = 60
_END_S = 12  # a recording ends within 10 s of SIGTERM


class FunctionSampler:
    """Records for 3 s from time to time. ``reason``: why there are no functions, None if there are.

    A recording with its analysis takes about 0.8 s of CPU time, so one in five minutes takes 0.3 %
    of a CPU.
    """

    def __init__(
        self, pid: int | None, period_s: float, places: SymbolPlaces = DEFAULT_PLACES
    ) -> None:
        self._target = ["-a"] if pid is None else ["-p", str(pid)]
        self._places = places
        self._period_s = period_s
        self._next_s = 0.0
        self._begin_s = 0.0  # of the recording under way
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.functions: tuple[FunctionShare, ...] = ()
        self.reason: str | None = "the first recording is under way" if period_s else "switched off"

    def poll(self, now_s: float) -> None:
        """Start a recording if one is due, and take over the result of one that ended."""
        if self._process is not None:
            if self._process.poll() is not None or now_s > self._begin_s + _LIMIT_S:
                self._take_over()
        elif self._period_s and now_s >= self._next_s:
            self._next_s, self._begin_s = now_s + self._period_s, now_s
            self._start()

    def request(self) -> None:
        """Make a recording due now; one that is under way is not repeated."""
        if self._process is not None:
            return
        self._next_s = 0.0
        self._period_s = self._period_s or float("inf")

    def finish(self) -> None:
        """Wait for the recording under way, if any."""
        if self._process is not None:
            try:
                self._process.wait(_LIMIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
            self._take_over()

    def close(self) -> None:
        """End the recording under way, and remove it."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        self._remove()

    def _start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="stallscope-top-")
        folder = Path(self._folder.name)
        command = [sys.executable, "-m", "stallscope", "profile", *self._target, "--json"]
        options = ["-F", str(FREQUENCY_HZ), "-d", str(DURATION_S), "-o", str(folder / "run")]
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self._process = subprocess.Popen(
                [*command, *options, *self._places.words()],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def _take_over(self) -> None:
        assert self._process is not None
        assert self._folder is not None
        if self._process.poll() is None:
            self._process.kill()
        status, folder = self._process.wait(), Path(self._folder.name)
        self._process = None
        try:
            if status:
                self.reason = _last_error(folder / "err") or f"the recording failed ({status})"
            else:
                text = (folder / "out").read_bytes()
                self.functions = functions_of(decode(text, ProfileResult, "profile"))
                self.reason = None if self.functions else "the target used no CPU time"
        except (OSError, StallscopeError) as error:
            self.reason = f"the recording is not readable: {error}"
        self._remove()

    def _remove(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def functions_of(profile: ProfileResult) -> tuple[FunctionShare, ...]:
    """Return the functions with most time of their own."""
    return tuple(
        FunctionShare(
            name=function.name, binary=function.module, share=min(1.0, function.self_share)
        )
        for function in profile.functions[:MOST_FUNCTIONS]
        if function.self_share
    )


def _last_error(path: Path) -> str:
    """Return the message of the error in the output of a recording; empty if there is none."""
    lines = path.read_text(errors="replace").splitlines()
    errors = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return errors[-1] if errors else ""
