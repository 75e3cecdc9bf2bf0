"""Targets of known behaviour, the collector, and perf as a reader of the result."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stallscope.programs import program
from tests.live.counting import Counting
from tests.live.python_targets import SYSTEM, Interpreter
from tests.peers import run_peer

ROOT = Path(__file__).parents[2]
NOBODY = 65534
SAMPLE = re.compile(
    r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?P<time>[\d.]+):\s+(?P<period>\d+)\s*$"
)


@pytest.fixture(scope="session")
def kernels() -> Path:
    """The program with known bottlenecks."""
    return program("stallscope-kernels")


@pytest.fixture(scope="session")
def collector() -> Path:
    """The collector: from STALLSCOPE_PROGRAMS, otherwise from the installed package."""
    folder = Path(os.environ.get("STALLSCOPE_PROGRAMS", ROOT / "stallscope" / "programs"))
    program = folder / "stallscope-collect"
    if not program.exists():
        pytest.skip("needs the program stallscope-collect: ./dev build makes it")
    return program


@contextmanager
def public_folder(mode: int) -> Iterator[Path]:
    """A folder with this mode that any user can reach; removed at the end of the context.

    pytest's folders are unsuitable: every start of pytest closes their root to other users.
    """
    with tempfile.TemporaryDirectory(prefix="stallscope-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(mode)
        yield folder


@pytest.fixture(scope="session")
def target_program() -> Iterator[Path]:
    """The compiled target program, in a directory from which any user may execute it."""
    if shutil.which("g++") is None:
        pytest.skip("needs the program g++")
    with public_folder(0o755) as folder:
        program = folder / "target"
        source = Path(__file__).parent / "targets" / "target.cpp"
        command = ["g++", "-std=c++20", "-O1", "-g", "-pthread", source, "-o", program]
        subprocess.run(command, check=True)
        yield program


@dataclass
class Target:
    """A running target; closing its standard input ends it."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def go(self) -> None:
        """Start the work of a target that waits for a line."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> dict[int, tuple[int, int]]:
        """End the target; return the threads' start and CPU times in nanoseconds, as printed."""
        output, _ = self.process.communicate(timeout=60)
        lines = [line.split() for line in output.splitlines()]
        return {int(tid): (int(start), int(cpu)) for tid, start, cpu in lines}


@pytest.fixture
def start_target(target_program: Path) -> Iterator[Callable[..., Target]]:
    """Starts targets, and ends those still running."""
    started: list[Target] = []

    def start(*words: object, program: Path | None = None, before: tuple[str, ...] = ()) -> Target:
        process = subprocess.Popen(
            [*before, str(program or target_program), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(Target(process))
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return started[-1]

    yield start
    for target in started:
        if target.process.returncode is None:
            target.process.kill()
        for stream in (target.process.stdin, target.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        target.process.wait()


@pytest.fixture
def light_process(start_target: Callable[..., Target]) -> subprocess.Popen[str]:
    """A process that computes for a fifth of the time until the test ends: it leaves samples and CPU time."""
    return start_target("light", 1).process


@dataclass
class Recording:
    """The result of a run of the collector."""

    directory: Path
    exit_code: int = 0
    messages: str = ""
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def samples_file(self) -> Path:
        return self.directory / "samples.perf"

    def warnings(self) -> set[str]:
        return {warning["code"] for warning in self.document["warnings"]}

    def reload(self) -> None:
        path = self.directory / "recording.json"
        self.document = json.loads(path.read_text()) if path.exists() else {}


@pytest.fixture
def record(collector: Path, tmp_path: Path) -> Callable[..., Recording]:
    """Runs the collector to its end."""

    def run(*words: object, output: Path | None = None, before: tuple[str, ...] = ()) -> Recording:
        directory = output or tmp_path / "run"
        done = subprocess.run(
            [*before, str(collector), "-o", str(directory), *map(str, words)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        recording = Recording(directory, done.returncode, done.stderr)
        recording.reload()
        return recording

    return run


@pytest.fixture
def count(collector: Path, tmp_path: Path) -> Callable[..., Counting]:
    """Runs the collector's counting of a plan to its end."""

    def run(
        plan: object, *words: object, output: Path | None = None, before: tuple[str, ...] = ()
    ) -> Counting:
        directory = output or tmp_path / "run"
        file = directory.with_name("plan.json")
        file.write_text(plan if isinstance(plan, str) else json.dumps(plan))
        flags = (f"--plan={file}", f"--output={directory}")
        done = subprocess.run(
            [*before, str(collector), "count", *flags, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        counting = Counting(directory, done.returncode, done.stderr)
        counting.reload()
        return counting

    return run


@dataclass
class Collection:
    """A collector that runs, its progress lines and its control descriptor."""

    process: subprocess.Popen[bytes]
    control: int
    progress: Any
    recording: Any  # a Recording or a Counting

    def wait_for(self, event: str) -> dict[str, Any]:
        """The next progress line of that kind."""
        for line in self.progress:
            message: dict[str, Any] = json.loads(line)
            if message["event"] == event:
                return message
        pytest.fail(f"the collector ended without saying {event!r}")

    def send(self, line: str) -> None:
        os.write(self.control, line.encode())

    def close_control(self) -> None:
        os.close(self.control)
        self.control = -1

    def end(self) -> Any:
        self.recording.exit_code = self.process.wait(timeout=60)
        self.recording.reload()
        return self.recording


@pytest.fixture
def launch() -> Iterator[Callable[..., Collection]]:
    """Starts a collector with progress and control descriptors."""
    started: list[Collection] = []

    def start(recording: Recording | Counting, *words: object) -> Collection:
        progress_read, progress_write = os.pipe()
        control_read, control_write = os.pipe()
        program, *rest = map(str, words)
        flags = [f"--progress-fd={progress_write}", f"--control-fd={control_read}"]
        at = 1 if rest[0] == "count" else 0
        process = subprocess.Popen(
            [program, *rest[:at], f"--output={recording.directory}", *flags, *rest[at:]],
            pass_fds=(progress_write, control_read),
        )
        os.close(progress_write)
        os.close(control_read)
        lines = os.fdopen(progress_read, "rb")
        started.append(Collection(process, control_write, lines, recording))
        return started[-1]

    yield start
    for collection in started:
        if collection.process.poll() is None:
            collection.process.kill()
            collection.process.wait()
        collection.progress.close()
        if collection.control >= 0:
            collection.close_control()


@pytest.fixture
def start_collector(
    collector: Path, launch: Callable[..., Collection], tmp_path: Path
) -> Callable[..., Collection]:
    """Starts collectors that sample."""

    def start(*words: object, output: Path | None = None) -> Collection:
        return launch(Recording(output or tmp_path / "run"), collector, *words)

    return start


@pytest.fixture
def start_counting(
    collector: Path, launch: Callable[..., Collection], tmp_path: Path
) -> Callable[..., Collection]:
    """Starts collectors that count a plan."""

    def start(plan: object, *words: object) -> Collection:
        file = tmp_path / "plan.json"
        file.write_text(json.dumps(plan))
        counting = Counting(tmp_path / "run")
        return launch(counting, collector, "count", f"--plan={file}", *words)

    return start


@dataclass(frozen=True)
class PerfSample:
    comm: str
    pid: int
    tid: int
    time_s: float
    period: int


class PerfReader:
    """Debian's perf, reading recordings."""

    def text(self, *words: object) -> str:
        done = run_peer(["perf", *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def samples(self, recording: Recording) -> list[PerfSample]:
        fields = ("-G", "-F", "comm,pid,tid,time,period")
        lines = self.text("script", "-i", recording.samples_file, *fields).splitlines()
        samples = []
        for line in filter(str.strip, lines):
            match = SAMPLE.match(line)
            assert match, line
            samples.append(
                PerfSample(
                    match["comm"],
                    int(match["pid"]),
                    int(match["tid"]),
                    float(match["time"]),
                    int(match["period"]),
                )
            )
        return samples

    def sampled_ns(self, recording: Recording) -> Counter[int]:
        """The sum of the samples' periods by thread."""
        sums: Counter[int] = Counter()
        for sample in self.samples(recording):
            sums[sample.tid] += sample.period
        return sums


@pytest.fixture(scope="session")
def perf() -> PerfReader:
    if shutil.which("perf") is None:
        pytest.skip("needs the program perf")
    return PerfReader()


@pytest.fixture(scope="session")
def as_ordinary_user(needs_root: None) -> tuple[str, ...]:
    """The command prefix that runs a command as an ordinary user."""
    if shutil.which("setpriv") is None:
        pytest.skip("needs the program setpriv")
    return (
        "setpriv",
        f"--reuid={NOBODY}",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    )


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder writable by any user."""
    with public_folder(0o777) as folder:
        yield folder


@pytest.fixture(scope="session")
def system_python() -> Interpreter:
    done = subprocess.run(
        [SYSTEM, "-c", "import sys; print(sys.version_info >= (3, 11))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.stdout != "True\n":
        pytest.skip("needs the program python3 of version 3.11 or later")
    return Interpreter("system", (SYSTEM, "-S", "-E"), {"PATH": os.environ["PATH"]})
