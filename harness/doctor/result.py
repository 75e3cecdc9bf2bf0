"""The result of `stallscope doctor`: what can be measured, with remedies."""

from harness.machine_checks.check import Check
from stallscope.documents import Document


class DoctorResult(Document, frozen=True, kw_only=True, tag="stallscope.doctor/1"):
    """The checks of a machine, in the order in which they are shown."""

    checks: tuple[Check, ...]
