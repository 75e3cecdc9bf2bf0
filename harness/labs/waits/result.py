"""The result of `stallscope lab waits`: expected and found causes and shares of every program."""

from enum import StrEnum

from cstates.fingerprint import Fingerprint
from stallscope.documents import Amount, Count, Document, Record, Share


class ProgramVerdict(StrEnum):
    """The comparison of a diagnosis with what is known. FAILED: there was no diagnosis."""

    RIGHT = "right"
    WRONG = "wrong"
    FAILED = "failed"


class StateShare(Record, frozen=True, kw_only=True):
    """Share of a state in the wall time of the threads with a name.

    ``share`` is that of the diagnosis, None if it does not have the threads.
    """

    threads: str
    state: str
    expected: Share
    share: Share | None


class DiagnosisCause(Record, frozen=True, kw_only=True):
    """A cause of the diagnosis."""

    kind: str
    name: str
    wait_ns: Count


class ProgramRow(Record, frozen=True, kw_only=True):
    """A run of a program or of its look-alike.

    ``expected_cause``: the kind and name that must come first, and must not for a look-alike; None
    if the program has no such cause. ``largest_difference``: of all shares; None without an
    account. ``expected_sign``: of a lock, that must be found, and must not for a look-alike.
    ``why``: the reason of a failure.
    """

    program: str
    look_alike: bool
    expected_cause: str | None
    causes: tuple[DiagnosisCause, ...]  # the first three
    cause_verdict: ProgramVerdict
    shares: tuple[StateShare, ...]
    largest_difference: Amount | None
    share_verdict: ProgramVerdict
    expected_sign: str | None = None
    signs: tuple[str, ...] = ()  # that were found, without their numbers
    sign_verdict: ProgramVerdict = ProgramVerdict.RIGHT
    why: str = ""

    @property
    def is_right(self) -> bool:
        """Return whether the cause, the shares and the sign are right."""
        verdicts = {self.cause_verdict, self.share_verdict, self.sign_verdict}
        return verdicts == {ProgramVerdict.RIGHT}


class WaitsLabResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.waits/1"):
    """All programs that were run; ``tolerance`` is that of a share."""

    settings: Fingerprint | None  # of the machine; None: not read
    duration_s: Amount
    tolerance: Share
    rows: tuple[ProgramRow, ...]

    @property
    def passed(self) -> bool:
        """Return whether every row is right."""
        return all(row.is_right for row in self.rows)
