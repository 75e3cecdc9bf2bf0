"""The programs with a known bottleneck, as stallscope-kernels lists them, and running them."""

import json
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from stallscope.errors import UnableError, UsageError
from stallscope.json_fields import Fields
from stallscope.programs import program

PROGRAM = "stallscope-kernels"
REPAIR = "install stallscope again, or in a checkout run ./dev build"
_LISTING_S = 30
_TRIAL_S = 0.1
_LONGEST_SET_UP_S = 300
_IN_KERNEL = ("kernel:", "waiting:")


@dataclass(frozen=True, slots=True)
class KnownKernel:
    """One program and its answer. ``held_out``: no constant of a model was found with it."""

    name: str
    expected: str
    threads: int
    held_out: bool

    @property
    def is_of_slots(self) -> bool:
        """Return whether the answer is a path of slots, and not the kernel's or a wait."""
        return not self.expected.startswith(_IN_KERNEL)

    def command(self, *options: str) -> tuple[str, ...]:
        """Return the words that run it."""
        return (str(program(PROGRAM)), self.name, "--json", *options)


def known_kernels(names: tuple[str, ...] = ()) -> tuple[KnownKernel, ...]:
    """Return the programs of these names, all without names, in the order of the list.

    Raises UsageError where one is unknown.
    """
    listed = _listed()
    unknown = [name for name in names if name not in {kernel.name for kernel in listed}]
    if unknown:
        import difflib  # noqa: PLC0415 - only for a mistyped name

        near = difflib.get_close_matches(unknown[0], [kernel.name for kernel in listed], n=3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(
            f"there is no kernel {unknown[0]!r}",
            f"{hint}there are: {', '.join(kernel.name for kernel in listed)}",
        )
    return tuple(kernel for kernel in listed if not names or kernel.name in names)


def _listed() -> tuple[KnownKernel, ...]:
    document = _output((str(program(PROGRAM)), "--list", "--json"), _LISTING_S)
    return tuple(
        KnownKernel(
            name=each.text("name"),
            expected=each.text("expected"),
            threads=each.count("threads", 1),
            held_out=each.values.get("held_out") is True,
        )
        for each in document.objects("kernels")
    )


def _output(words: tuple[str, ...], limit_s: float) -> Fields:
    """Return the JSON object that one of our programs prints."""
    try:
        ran = subprocess.run(words, capture_output=True, timeout=limit_s, check=False)
        found = json.loads(ran.stdout) if ran.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise UnableError(f"{PROGRAM} did not answer: {error}", REPAIR) from error
    if not isinstance(found, dict):
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UnableError(f"{PROGRAM} failed: {said[0] if said else ran.returncode}", REPAIR)
    return Fields(found, PROGRAM)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a short run shows: its pace, and how long it makes its working set before.

    ``set_up_s`` by the clock on the wall, which runs on while others have the CPU.
    """

    iterations_per_cpu_s: float
    set_up_s: float
    set_up_cpu_s: float


def trial(kernel: KnownKernel) -> Trial:
    """Return what a run of a tenth of a second shows; UnableError where it does not run here."""
    began_s, began_cpu_s = time.monotonic(), _children_cpu_s()
    report = _output(kernel.command("--duration", f"{_TRIAL_S}"), _LONGEST_SET_UP_S)
    whole_s, whole_cpu_s = time.monotonic() - began_s, _children_cpu_s() - began_cpu_s
    cpu_s, own_s = max(1, report.count("cpu_ns")) / 1e9, report.count("elapsed_ns") / 1e9
    return Trial(
        iterations_per_cpu_s=report.count("iterations") / cpu_s,
        set_up_s=max(0.0, whole_s - own_s),
        set_up_cpu_s=max(0.0, whole_cpu_s - cpu_s),
    )


def _children_cpu_s() -> float:
    """Return the CPU time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def running(kernel: KnownKernel, longest_s: float) -> Iterator[int]:
    """Run the program while the block lasts, and no longer than told; give its process id."""
    words = kernel.command("--duration", f"{longest_s}")
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield process.pid
        finally:
            process.kill()
