"""A run of `stallscope report`: the code of one kind of recording is imported, and no other."""

import importlib
from pathlib import Path

from msgspec.structs import replace

from harness.cli.outputs import check_place
from harness.recordings.kinds import PROFILE, REQUESTS, WAITS, kind_of
from harness.recordings.weight import recorded_weight
from harness.report.options import ReportOptions
from stallscope.errors import RecordingError
from stallscope.recordings import Recording, open_recording

# The module and function that report a kind of recording; a profile takes more options.
REPORTERS = {
    "bench": ("harness.report.bench", "report_bench"),
    "counters": ("harness.topdown.report", "report_counters"),
    "load": ("harness.report.load", "report_load"),
    "idle": ("harness.cstates.record.report", "report_idle"),
    "io": ("harness.report.disk", "report_disk"),
    "waits": ("harness.report.waits", "report_waits"),
    "requests": ("harness.report.requests", "report_requests"),
}


def report(path: Path, options: ReportOptions) -> None:
    """Write the page of the recording at a path, and print its summary."""
    recording = open_recording(path)
    kind = kind_of(recording)
    if kind == REQUESTS and options.period is not None:
        kind = WAITS  # a period is a view of its waits
    if kind in (WAITS, REQUESTS):
        # Such a recording also has samples: a profile by weight shows these.
        weight = options.weight or recorded_weight(recording.path)
        if weight is not None or options.event:
            kind, options = PROFILE, replace(options, weight=weight)
    if kind != PROFILE and kind not in REPORTERS:
        raise RecordingError(
            f"{path} is a recording of kind {kind!r}, which this stallscope does not know",
            "report it with the version that made it, or a newer one",
        )
    if options.with_page:
        check_place(options.output or _default_page(recording))
    if kind == PROFILE:
        _report_profile(recording, options)
        return
    module, function = REPORTERS[kind]
    period = {"period": options.period} if kind == WAITS else {}
    getattr(importlib.import_module(module), function)(
        recording,
        output=options.output,
        with_page=options.with_page,
        as_json=options.as_json,
        **period,
    )


def _default_page(recording: Recording) -> Path:
    """Return the path of the page; that of a perf.data file is in the current directory."""
    if recording.manifest is None:
        return Path(f"{recording.name}.report.html")
    return recording.path / "report.html"


def _report_profile(recording: Recording, options: ReportOptions) -> None:
    from harness.report.profile import report_profile  # noqa: PLC0415 - of one kind only

    report_profile(recording, options)
