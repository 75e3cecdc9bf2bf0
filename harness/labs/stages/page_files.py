"""The files of the stages lab: the result as JSON, and the page with each side's flame page."""

from dataclasses import replace
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.labs.stages.measurement import StagesMeasurement
from harness.labs.stages.panel import PageData, SideFlame, render_page
from harness.labs.stages.plan import SATURATED, LoadLevel, Side
from harness.labs.stages.result import StagesResult
from harness.labs.stages.rounds import INTENDED_LOG
from harness.page.latency_panel import Series
from harness.profile.analysis import analyze
from harness.profile.page_files import write_page
from harness.recordings.settings_text import settings_facts
from stallscope.documents import encode
from stallscope.histograms import IntervalLog, read_interval_log
from stallscope.host import read_host
from stallscope.recordings import open_recording


def write_results(lab: StagesMeasurement, result: StagesResult) -> Path:
    """Return the path of the page, which is written beside ``stages.json``."""
    output = lab.options.output
    write_whole(output / "stages.json", [encode(result, indent=1) + "\n"])
    page = output / "report.html"
    write_whole(page, [render_page(result, page_data(lab))])
    return page


def page_data(lab: StagesMeasurement) -> PageData:
    """Return flame graphs, latency logs and facts for the page."""
    load = lab.fixed_load if lab.fixed_load in lab.options.loads else SATURATED
    host = read_host()
    facts = {"host": host.hostname, "CPU": host.cpu_model, "kernel": host.kernel_release}
    return PageData(
        recording_name=lab.options.output.resolve().name,
        flames=_flames(lab),
        latency=[Series(str(side), merged_log(lab, load, side), False) for side in Side],
        latency_hint=f"{load.text}, all rounds of a side merged, from the intended start",
        facts=facts | settings_facts(lab.settings),
    )


def merged_log(lab: StagesMeasurement, load: LoadLevel, side: Side) -> IntervalLog:
    """Return the intervals of all runs of a side under a load, as one log in order of time."""
    logs = [
        (reading.started_at_s, read_interval_log(reading.folder / INTENDED_LOG))
        for reading in lab.readings
        if (reading.run.load, reading.run.side) == (load, side)
    ]
    return IntervalLog(
        tuple(
            replace(interval, start_s=started_at_s + interval.start_s)
            for started_at_s, log in logs
            for interval in log.intervals
        ),
        tuple(warning for _, log in logs for warning in log.warnings),
    )


def _flames(lab: StagesMeasurement) -> list[SideFlame]:
    flames = []
    for side, path in lab.profiles.recordings.items():
        recording = open_recording(path)
        analysis = analyze(recording)
        page = write_page(recording, analysis)
        relative = page.relative_to(lab.options.output)
        flames.append(SideFlame(str(side), analysis.profile, str(relative)))
    return flames
