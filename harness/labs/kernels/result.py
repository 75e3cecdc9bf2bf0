"""The result of `stallscope lab kernels`: expected and diagnosed answer of every program."""

from enum import StrEnum

from cstates.fingerprint import Fingerprint
from stallscope.documents import Document, Record
from topdown.slots.measurement import Kind


class KernelVerdict(StrEnum):
    """The comparison of a program's answer with the expected one.

    BEYOND: the source cannot see this bottleneck and says so. FAILED: the program did not run.
    """

    RIGHT = "right"
    WRONG = "wrong"
    BEYOND = "out of reach"
    FAILED = "failed"


class KernelRow(Record, frozen=True, kw_only=True):
    """A program; ``answer`` is None if the source had none."""

    kernel: str
    expected: str
    answer: str | None
    kind: Kind
    source: str
    verdict: KernelVerdict
    why: str
    held_out: bool


class KernelsResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.kernels/1"):
    """All programs that were diagnosed."""

    settings: Fingerprint | None  # of the machine; None: not read
    rows: tuple[KernelRow, ...]

    @property
    def passed(self) -> bool:
        """Return whether no answer is wrong and no program failed."""
        failures = (KernelVerdict.WRONG, KernelVerdict.FAILED)
        return not any(row.verdict in failures for row in self.rows)
