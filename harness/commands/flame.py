"""`stallscope flame`: writes the flame graph of a recording for other tools and documents."""

from pathlib import Path

import click

from harness.cli.recording_options import RUN_HELP

EXAMPLES = """\b
Examples:
  stallscope flame slow-query -o slow-query.svg
  stallscope flame perf.data -o stacks.folded      (speedscope, flamegraph.pl, inferno)
  stallscope flame slow-query --format folded -o - | sort -k2 -n
"""
FORMATS = ("svg", "html", "folded")


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write; its ending says the format. - is standard output.",
)
@click.option(
    "--format", "file_format", type=click.Choice(FORMATS), help="The format, whatever the ending."
)
@click.option("--icicle", is_flag=True, help="SVG with the root on top.")
@click.option("--width", type=click.IntRange(200, 20_000), default=1200, show_default=True)
@click.option(
    "--inlined",
    is_flag=True,
    help="Show functions the compiler inlined as frames of their own (needs debug information).",
)
@click.option("-e", "--event", default="", help="The event to show, where several were recorded.")
def command(
    run: Path,
    output: Path,
    file_format: str | None,
    icicle: bool,
    width: int,
    inlined: bool,
    event: str,
) -> None:
    """Write a recording's flame graph as SVG, HTML or folded text."""
    from harness.cli.outputs import write_whole  # noqa: PLC0415 - start-up stays light
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.page_files import page_parts  # noqa: PLC0415
    from stallscope.recordings import open_recording  # noqa: PLC0415
    from topdown.stacks.flame.folded import render_folded  # noqa: PLC0415
    from topdown.stacks.flame.svg import render_svg  # noqa: PLC0415

    chosen = file_format or output.suffix.removeprefix(".")
    if chosen not in FORMATS:
        raise click.UsageError(
            f"{output} ends in none of .svg, .html, .folded: add --format to say what it is"
        )
    recording = open_recording(run)
    analysis = analyze(recording, inlined=inlined, event=event)
    if chosen == "svg":
        parts = [render_svg(analysis.profile, width=width, inverted=icicle)]
    elif chosen == "folded":
        parts = [render_folded(analysis.profile)]
    else:
        parts = page_parts(recording, analysis)
    write_whole(output, parts)


command.help = f"Write a recording's flame graph as SVG, HTML or folded text.\n\n{RUN_HELP}"
