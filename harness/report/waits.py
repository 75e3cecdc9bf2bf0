"""`stallscope report` of waits: its page and its table."""

from pathlib import Path

from harness.profile.period import Period
from harness.waits.session import result_with_page, show
from stallscope.recordings import Recording


def report_waits(
    recording: Recording,
    *,
    output: Path | None,
    with_page: bool,
    as_json: bool,
    period: Period | None = None,
) -> None:
    """Write the page of a recording of waits, and print its table; ``period``: of it alone."""
    result = result_with_page(recording, output=output, with_page=with_page, period=period)
    show(result, as_json=as_json)
