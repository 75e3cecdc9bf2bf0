"""`stallscope report` of requests: the page and the tables."""

from pathlib import Path

from harness.requests.session import result_with_page, show
from stallscope.recordings import Recording


def report_requests(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording with marks of requests, and print its tables."""
    show(result_with_page(recording, output=output, with_page=with_page), as_json=as_json)
