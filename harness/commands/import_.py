"""`stallscope import`: read a file of another tool."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  perf script > perf.txt; stallscope import perf.txt
  stallscope import perf.txt --folded - | flamegraph.pl > flame.svg
  stallscope import perf.txt --folded all.folded --tid --kernel
  perf script --no-inline > perf.txt; stallscope import perf.txt --folded - --inline
  stallscope import cpu.pb.gz -o cpu.speedscope.json
  stallscope import fio.json
  stallscope report cpu.pb.gz                (report and flame read such files, too)
"""
FORMATS = (
    "perf script",
    "folded",
    "pprof",
    "otlp",
    "speedscope",
    "firefox",
    "perf stat",
    "benchmark",
    "hdrhistogram",
    "fio",
)


@click.command(epilog=EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the stacks to OUT; its suffix selects the format as for stallscope flame.",
)
@click.option(
    "--folded",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write folded stacks, weighted by the values of the event, to OUT. - is standard output.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    help="Format of FILE. Default: detected from its content.",
)
@click.option("--pid", is_flag=True, help="Folded text of perf script: add the process id.")
@click.option(
    "--tid", is_flag=True, help="Folded text of perf script: add the process and thread ids."
)
@click.option(
    "--kernel", is_flag=True, help="Folded text of perf script: mark kernel functions with _[k]."
)
@click.option(
    "--jit",
    is_flag=True,
    help="Folded text of perf script: mark functions of /tmp/perf-PID.map with _[j].",
)
@click.option("--all", "all_marks", is_flag=True, help="The same as --kernel --jit.")
@click.option(
    "--addrs",
    is_flag=True,
    help="Folded text of perf script: write the addresses of unknown functions.",
)
@click.option(
    "--inline",
    is_flag=True,
    help="Folded text of perf script: read the functions at addresses, inlined ones as well, from "
    "the debug information of the files. Write the text with perf script --no-inline.",
)
@click.option(
    "-e",
    "--event",
    "--event-filter",
    "event",
    default="",
    metavar="EVENT",
    help="Event, or type of value of pprof and OTLP. Default: the first event; the type that the "
    "file names, or the last one.",
)
@click.option(
    "--top",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of functions to print, the hottest first.",
)
@json_option
def command(
    file: Path,
    output: Path | None,
    folded: Path | None,
    file_format: str | None,
    pid: bool,
    tid: bool,
    kernel: bool,
    jit: bool,
    all_marks: bool,
    addrs: bool,
    inline: bool,
    event: str,
    top: int,
    as_json: bool,
) -> None:
    """Read a file of another tool, or write it in another format.

    Without an output the content is printed. FILE is text of perf script, folded stacks, pprof,
    OTLP profiles, speedscope, the Firefox Profiler, perf stat (-x or -j), Go benchmark results, an
    HdrHistogram log, or JSON of fio. Files that gzip or zstd compressed are decompressed.
    """
    from harness.exchange.options import ImportOptions  # noqa: PLC0415 - start-up stays light
    from harness.exchange.session import run_import  # noqa: PLC0415
    from topdown.stacks.formats.detection import FileFormat  # noqa: PLC0415
    from topdown.stacks.formats.perf_script import FoldedNames  # noqa: PLC0415

    run_import(
        ImportOptions(
            path=file,
            file_format=None if file_format is None else FileFormat(file_format),
            output=output,
            folded=folded,
            names=FoldedNames(
                process_ids=pid,
                thread_ids=tid,
                kernel=kernel or all_marks,
                jit=jit or all_marks,
                addresses=addrs,
                inline=inline,
                event=event,
            ),
            event=event,
            top=top,
            as_json=as_json,
        )
    )
