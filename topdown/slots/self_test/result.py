"""The result of a self-test, which can be contributed to ``topdown/slots/verified``."""

from typing import Literal

from stallscope.documents import Amount, Count, Document, Number, Record


class SelfTestMode(Record, frozen=True, kw_only=True):
    """The counting mode of the self-test."""

    smt: bool
    ebs_mode: bool
    metrics: tuple[str, ...]


class EventResult(Record, frozen=True, kw_only=True):
    """The verdict on an event with its reason, and the checks that it passed."""

    verdict: Literal["works", "broken", "unproven", "uncounted"]
    reason: str
    passed: tuple[str, ...] = ()
    encoding: str = ""


class ProgramResult(Record, frozen=True, kw_only=True):
    """The counts of one known program, and its expected and measured bottleneck."""

    kernel: str
    expected: str
    bottleneck: str | None
    iterations: Count
    cpu_ns: Count
    ipc: Amount | None
    level_1: dict[str, Number | None]
    counts: dict[str, Number]


class SelfTestResult(Document, frozen=True, kw_only=True, tag="stallscope.self-test/1"):
    """The verdicts on all events of a CPU; it names the CPU and the kernel, but no host or user."""

    stallscope: str
    cpu: str
    title: str
    identity: str
    cpu_name: str
    microcode: str
    kernel_release: str
    virtualization: str | None
    mode: SelfTestMode
    verdicts: dict[str, Count]
    events: dict[str, EventResult]
    kernels: tuple[ProgramResult, ...]
