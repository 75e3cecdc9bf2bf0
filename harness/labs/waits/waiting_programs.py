"""The programs of stallscope-kernels that wait in a known way, and the account of a run."""

from pathlib import Path

from harness.labs.kernels.known_kernels import PROGRAM, run_program
from stallscope.documents import Count, Record, decode
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.programs import program

_LIST_TIMEOUT_S = 30


class ExpectedCause(Record, frozen=True):
    """The cause that must come first; ``name`` is None if it depends on the machine."""

    kind: str
    name: str | None = None

    @property
    def text(self) -> str:
        """Return the cause for people: "thread hog"."""
        return f"{self.kind} {self.name}" if self.name else self.kind


class WaitingProgram(Record, frozen=True):
    """A program of the list; ``child_process``: another process takes part in its waits.

    ``sign``: that a lock of the program must have, or "spinning".
    """

    name: str
    expected: str
    first_cause: ExpectedCause | None = None
    sign: str | None = None
    look_alike: str | None = None
    measures_states: bool = False
    child_process: bool = False

    def command(self, duration_s: float, *, look_alike: bool = False) -> tuple[str, ...]:
        """Return the command line that runs the program or its look-alike."""
        words = (str(program(PROGRAM)), self.name, "--json", "--duration", f"{duration_s:g}")
        return (*words, "--look-alike") if look_alike else words


class AccountReading(Record, frozen=True):
    """The account of a thread from its first iteration to a moment."""

    at_ns: Count  # CLOCK_MONOTONIC
    states_ns: dict[str, Count]


class ThreadAccount(Record, frozen=True):
    """Wall time of a thread by state, as the program measured it; ``readings`` in time order."""

    tid: int
    name: str
    wall_ns: Count
    states_ns: dict[str, Count]
    readings: tuple[AccountReading, ...] = ()


class RunAccount(Record, frozen=True):
    """The report of a run. ``account``: what the program measured beside its threads."""

    elapsed_ns: Count
    threads: tuple[ThreadAccount, ...] = ()
    account: dict[str, Count] | None = None


class _ListRecord(Record, frozen=True):
    kernels: tuple[WaitingProgram, ...] = ()


def waiting_programs(names: tuple[str, ...] = ()) -> tuple[WaitingProgram, ...]:
    """Return the waiting programs with these names in list order; all without names.

    Raises UsageError for an unknown name.
    """
    words = (str(program(PROGRAM)), "--list", "--json")
    kernels = run_program(words, _LIST_TIMEOUT_S, _ListRecord).kernels
    waiting = [
        kernel for kernel in kernels if kernel.measures_states or kernel.first_cause or kernel.sign
    ]
    known = [kernel.name for kernel in waiting]
    for name in names:
        if name not in known:
            raise UsageError(
                f"unknown waiting program {name!r}", f"known programs: {', '.join(known)}"
            )
    return tuple(kernel for kernel in waiting if not names or kernel.name in names)


def read_account(path: Path) -> RunAccount:
    """Return the account that a program wrote; raises UnableError if there is none."""
    try:
        return decode(path.read_bytes(), RunAccount, PROGRAM)
    except (OSError, RecordingError) as error:
        raise UnableError(
            f"{PROGRAM} wrote no report", "run the program alone to see its message"
        ) from error
