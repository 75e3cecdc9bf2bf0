"""A run of `stallscope lab scale`: measurement, output, files."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import note
from harness.labs.scale.measurement import measure_scale
from harness.labs.scale.options import LabScaleOptions
from harness.labs.scale.result import LabScaleResult, scale_result
from harness.labs.scale.table_file import read_table
from harness.labs.scale.text import csv_lines, lines
from stallscope.documents import encode


def run_scale(
    options: LabScaleOptions, cpus: str | None, outputs: tuple[Path, ...], *, as_json: bool
) -> None:
    """Measure, print the result and write the files."""
    _show(scale_result(measure_scale(options, cpus)), outputs, as_json=as_json)


def show_table(path: Path, outputs: tuple[Path, ...], *, as_json: bool) -> None:
    """Print the table in a file and write the files."""
    _show(read_table(path), outputs, as_json=as_json)


def _show(result: LabScaleResult, outputs: tuple[Path, ...], *, as_json: bool) -> None:
    print_result(result, lines, as_json=as_json)
    for path in outputs:
        write_whole(path, [_content(result, path.suffix.lower())])
        note(f"wrote {path}")


def _content(result: LabScaleResult, suffix: str) -> str | bytes:
    if suffix == ".csv":
        return "".join(f"{line}\n" for line in csv_lines(result))
    if suffix == ".json":
        return encode(result) + "\n"
    from harness.labs.scale.picture import scale_picture  # noqa: PLC0415 - loads matplotlib

    return scale_picture(result, suffix.lstrip("."))
