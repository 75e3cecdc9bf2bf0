"""A run of `stallscope lab storm`: measurement, recording, output."""

from harness.cli.errors import report_error
from harness.cli.outputs import write_whole
from harness.cli.terminal import note, width
from harness.io.recorder import Recorder
from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.options import StormOptions
from harness.labs.storm.panel import panels
from harness.labs.storm.result import StormResult, storm_result
from harness.labs.storm.server import measure_server_storm
from harness.labs.storm.text import lines
from stallscope.errors import ExitCode


def run_storm(options: StormOptions, *, as_json: bool) -> int:
    """Return the exit code after the storm is measured, recorded and printed."""
    with Recorder(
        "storm", options.path, options.output, force=options.force, group="lab"
    ) as recorder:
        measure = measure_server_storm if options.server else measure_disk_storm
        storm = measure(options)
        result = storm_result(storm)
        result = recorder.keep(result, panels(result))
    _write_pictures(options, result)
    recorder.show(result, lines(result, width()), as_json=as_json)
    return int(ExitCode.DONE) if storm.failure is None else report_error(storm.failure)


def _write_pictures(options: StormOptions, result: StormResult) -> None:
    for path in options.pictures:
        from harness.labs.storm.picture import storm_picture  # noqa: PLC0415 - loads matplotlib

        write_whole(path, [storm_picture(result, path.suffix.lower().lstrip("."))])
        note(f"wrote {path}")
