"""`stallscope report` of a CPU profile: its flame page and its summary."""

from harness.profile.analysis import analyze
from harness.profile.page_files import write_page
from harness.profile.text import Places, show
from harness.report.options import ReportOptions
from stallscope.recordings import Recording


def report_profile(recording: Recording, options: ReportOptions) -> None:
    """Write the page of a profile, and print its summary."""
    analysis = analyze(recording, lines=options.lines, inlined=options.inlined, event=options.event)
    page = write_page(recording, analysis, options.output) if options.with_page else None
    places = Places(recording.path, page)
    show(analysis, places, top=options.top, as_json=options.as_json)
