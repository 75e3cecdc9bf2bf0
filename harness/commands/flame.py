"""`stallscope flame`: export the stacks of a recording."""

from collections.abc import Iterable
from pathlib import Path

import click

from harness.cli.period_option import period_option
from harness.cli.recording_argument import RUN_HELP, run_argument
from harness.cli.symbol_options import debug_file_options, symbol_places
from harness.cli.weight_option import weight_option

EXAMPLES = """\b
Examples:
  stallscope flame slow-query -o slow-query.svg
  stallscope flame perf.data -o stacks.folded      (flamegraph.pl, inferno)
  stallscope flame slow-query -o cpu.pb.gz         (go tool pprof, Pyroscope, Parca)
  stallscope flame slow-query -o cpu.speedscope.json
  stallscope flame slow-query --weight off-cpu -o waits.firefox.json
  stallscope flame slow-query --format folded -o - | sort -k2 -n
  stallscope flame slow-query --weight off-cpu --wakers -o waits.svg
  stallscope flame slow-query --period 0-2 -o first-seconds.svg
  stallscope flame slow-query --inlined --debug-directory . -o slow-query.svg
"""
FORMATS = (
    "svg",
    "html",
    "folded",
    "pprof",
    "otlp",
    "speedscope",
    "firefox",
    "csv",
    "parquet",
)


@click.command(epilog=EXAMPLES)
@run_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Output file; its suffix selects the format. - is standard output.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    help="Format. Default: by the suffix of FILE.",
)
@click.option("--icicle", is_flag=True, help="Draw the root at the top of the SVG.")
@click.option(
    "--width",
    type=click.IntRange(200, 20_000),
    default=1200,
    show_default=True,
    metavar="PIXELS",
    help="Width of the SVG in pixels.",
)
@click.option(
    "--inlined",
    is_flag=True,
    help="Show inlined functions as separate frames (needs debug information).",
)
@click.option(
    "-e", "--event", default="", metavar="EVENT", help="Event to show. Default: the first recorded."
)
@period_option
@debug_file_options
@weight_option
@click.option(
    "--wakers",
    is_flag=True,
    help="With --weight off-cpu: draw the functions of the thread that ended a wait on top of it "
    "(off-wake graph).",
)
def command(
    run: Path,
    output: Path,
    file_format: str | None,
    icicle: bool,
    width: int,
    inlined: bool,
    event: str,
    period: str | None,
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    weight: str | None,
    wakers: bool,
) -> None:
    """Write a recording's stacks as a flame graph, or in the format of another tool."""
    from harness.cli.outputs import write_whole  # noqa: PLC0415 - start-up stays light
    from harness.exchange.writers import (  # noqa: PLC0415
        OutputFormat,
        encoded_parts,
        output_format,
    )
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.options import AnalysisOptions  # noqa: PLC0415
    from harness.profile.period import parse_period  # noqa: PLC0415
    from stallscope.recordings import open_recording  # noqa: PLC0415
    from topdown.stacks.flame.svg import render_svg  # noqa: PLC0415
    from topdown.waits.weight import Weight  # noqa: PLC0415

    written = output_format(output, file_format)
    if wakers and weight != Weight.OFF_CPU:
        raise click.UsageError("--wakers shows what ended waits: add --weight off-cpu")
    recording = open_recording(run)
    analysis = analyze(
        recording,
        AnalysisOptions(
            inlined=inlined,
            event=event,
            period=None if period is None else parse_period(period),
            weight=Weight(weight or Weight.CPU),
            places=symbol_places((), debug_directories, debuginfod),
        ),
    )
    profile = analysis.with_wakers if wakers and analysis.with_wakers else analysis.profile
    if written == OutputFormat.SVG:
        parts: Iterable[str | bytes] = [render_svg(profile, width=width, inverted=icicle)]
    else:
        parts = encoded_parts(recording, analysis, profile, written)
    write_whole(output, parts)


command.help = f"""Write a recording's stacks as a flame graph, or in the format of another tool.

SVG, HTML, folded text, pprof (.pb.gz), OTLP profiles (.otlp), speedscope (.speedscope.json),
Firefox Profiler (.firefox.json), and tables (.csv, .parquet).

{RUN_HELP}"""
