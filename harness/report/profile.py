"""`stallscope report` of a CPU profile: its flame page and its summary."""

from harness.profile.analysis import analyze
from harness.profile.options import AnalysisOptions
from harness.profile.text import show
from harness.report.options import ReportOptions
from stallscope.recordings import Recording
from topdown.waits.weight import Weight


def report_profile(recording: Recording, options: ReportOptions) -> None:
    """Write the page of a profile, and print its summary."""
    analysis = analyze(
        recording,
        AnalysisOptions(
            lines=options.lines,
            inlined=options.inlined,
            event=options.event,
            weight=options.weight or Weight.CPU,
            period=options.period,
            places=options.places,
            by_module=options.by_module,
        ),
    )
    page = None
    if options.with_page:
        from harness.profile.page_files import write_page  # noqa: PLC0415 - not without a page

        page = write_page(recording, analysis, options.output)
    show(
        analysis,
        recording=recording.path,
        report=page,
        top=options.top,
        as_json=options.as_json,
    )
