"""A run of `stallscope profile`: records, analyzes, writes the page and prints the summary."""

from dataclasses import replace

from harness.cli.target_status import exit_code, explain
from harness.profile.analysis import analyze
from harness.profile.group_recorder import record_group
from harness.profile.locating import locate_flagged
from harness.profile.options import ProfileOptions
from harness.profile.page_files import write_page
from harness.profile.recorder import interrupted_once
from harness.profile.text import show
from harness.recordings.weight import keep_weight
from topdown.waits.weight import Weight


def run_profile(options: ProfileOptions) -> int:
    """Return the exit code after the target was recorded and its profile printed."""
    collector = options.collector
    if options.analysis.weight != Weight.CPU:
        collector = replace(collector, waits=True)
    with interrupted_once(collector):
        recording, end = record_group(collector, slots=options.slots, as_json=options.as_json)
        if options.analysis.weight != Weight.CPU:
            keep_weight(recording.path, options.analysis.weight)
        analysis = analyze(recording, options.analysis)
        page = write_page(recording, analysis)
        located = None
        if options.locate:
            located = locate_flagged(
                collector,
                recording,
                analysis,
                lines=options.analysis.lines,
                as_json=options.as_json,
            )
    show(
        analysis,
        recording=recording.path,
        report=page,
        top=options.top,
        as_json=options.as_json,
        located=located,
    )
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)
