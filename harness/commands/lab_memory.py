"""`stallscope lab memory`: the latency of caches and memory."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.renamed_option import RenamedOption

EXAMPLES = """\b
Examples:
  stallscope lab memory                        (about half a minute)
  stallscope lab memory --quick -o memory.svg
  stallscope lab memory --json | jq '.levels[] | [.name, .detected.latency_ns]'
  stallscope lab memory --threads 1,8,16 --events memory
  stallscope lab memory --max-size 64M --pages small --threads 1,2,4
"""


@click.command(epilog=EXAMPLES)
@click.option("--min-size", cls=RenamedOption, former=["--least"], default="4K", metavar="SIZE",
              help="Smallest ring. Default: 4K.")  # fmt: skip
@click.option("--max-size", cls=RenamedOption, former=["--most"], default="1G", metavar="SIZE",
              help="Largest ring. Default: 1G.")  # fmt: skip
@click.option(
    "--pages",
    type=click.Choice(["both", "huge", "small"]),
    default="both",
    show_default=True,
    help="Page size to request for rings; the result reports the pages obtained.",
)
@click.option(
    "--strides",
    metavar="LIST",
    help="Distances between lines, such as 4096,4160; multiples of 64. Default: powers of two from "
    "512 to 1M, and some of them plus one line.",
)
@click.option(
    "--threads",
    metavar="LIST",
    help="Numbers of threads, such as 1,2,4. Default: powers of two up to the number of CPUs.",
)
@click.option(
    "--cpus",
    metavar="LIST",
    help="CPUs to use, such as 0,2-3; measurements of one thread run on the first.",
)
@click.option(
    "--quick", is_flag=True, help="Measure fewer rings and strides for a shorter time: about 5 s."
)
@click.option(
    "--events",
    multiple=True,
    metavar="EVENTS",
    help="Events to count in each thread, beside cycles, instructions and software events; may be "
    "repeated. memory: loads, misses by level, stalls and write-backs.",
)
@json_option
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the curves (.svg or .png) or the result (.json); may be repeated.",
)
def command(
    min_size: str,
    max_size: str,
    pages: str,
    strides: str | None,
    threads: str | None,
    cpus: str | None,
    quick: bool,
    events: tuple[str, ...],
    as_json: bool,
    output: tuple[Path, ...],
) -> None:
    """Measure the latency of caches and memory.

    Reads rings of cache lines in random order: with growing sizes, small and huge pages, large
    strides, several threads, and every pair of NUMA nodes. Sequential, strided and prefetched
    reads beside random ones show the effect of prefetching. Detects the levels in the curve and
    compares them with sysfs. Ctrl-C keeps the measured points.
    """
    from harness.cli.outputs import check_files  # noqa: PLC0415 - start-up stays light
    from harness.labs.memory.options import SUFFIXES, OptionTexts, memory_options  # noqa: PLC0415
    from harness.labs.memory.session import run_memory  # noqa: PLC0415
    from harness.workload.cores import usable_cpus  # noqa: PLC0415

    texts = OptionTexts(min_size, max_size, pages, strides, threads)
    allowed = usable_cpus(cpus)
    options = memory_options(texts, quick=quick, cpu_count=len(allowed), events=events)
    check_files(output, SUFFIXES)
    run_memory(options, allowed, output, as_json=as_json)
