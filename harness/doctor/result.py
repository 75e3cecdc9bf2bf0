"""The results of `stallscope doctor`: what can be measured, leftovers of tools, and fixes."""

from harness.machine_checks.check import Check, Status
from stallscope.documents import Document, Natural, Record


class Leftover(Record, frozen=True, kw_only=True):
    """A setting that a tool may have changed and not restored."""

    setting: str
    value: str
    usual: str  # the kernel's default
    effect: str
    remedy: str  # a command; empty if another process must end


class DoctorResult(Document, frozen=True, kw_only=True, tag="stallscope.doctor/1"):
    """The checks of a machine, in the order in which they are shown, and leftovers of tools."""

    checks: tuple[Check, ...]
    leftovers: tuple[Leftover, ...] = ()


class Fix(Record, frozen=True, kw_only=True):
    """Commands that allow more, and commands that undo them; stallscope runs neither."""

    subject: str  # a check, or the setting of a leftover
    allows: str
    commands: tuple[str, ...]
    undo: tuple[str, ...]
    lasts: str  # until when


class FixResult(Document, frozen=True, kw_only=True, tag="stallscope.doctor.fix/1"):
    """The least commands that allow more on a machine, the most useful first."""

    fixes: tuple[Fix, ...]


class RuntimeCheck(Record, frozen=True, kw_only=True):
    """Whether the functions of a runtime of a process can be named."""

    name: str  # v8, hotspot, cpython, ruby, php, or one that needs a remedy: dotnet, julia, ...
    version: str  # empty if not known
    status: Status
    detail: str
    remedy: str  # empty if there is none


class RuntimesResult(Document, frozen=True, kw_only=True, tag="stallscope.doctor.runtimes/1"):
    """The runtimes of a process."""

    pid: Natural
    runtimes: tuple[RuntimeCheck, ...]
