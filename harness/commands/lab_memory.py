"""`stallscope lab memory`: measures the latency of caches and memory."""

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope lab memory                        (about half a minute)
  stallscope lab memory --quick -o memory.svg
  stallscope lab memory --json | jq '.levels[] | [.name, .found.latency_ns]'
  stallscope lab memory --most 64M --pages small --threads 1,2,4
"""


@click.command(epilog=EXAMPLES)
@click.option("--least", default="4K", metavar="SIZE", help="The smallest ring. Default: 4K.")
@click.option("--most", default="1G", metavar="SIZE", help="The largest ring. Default: 1G.")
@click.option(
    "--pages",
    type=click.Choice(["both", "huge", "small"]),
    default="both",
    help="The pages that rings lie in; those truly got are told.",
)
@click.option(
    "--strides",
    metavar="LIST",
    help="Strides from line to line, as 4096,4160: multiples of 64. Default: powers of two from "
    "512 to 1M, and some with a line more.",
)
@click.option(
    "--threads",
    metavar="LIST",
    help="Numbers of threads, as 1,2,4. Default: powers of two up to the CPUs.",
)
@click.option("--cpus", metavar="LIST", help="Use these CPUs only, as 0,2-3; the first runs alone.")
@click.option("--quick", is_flag=True, help="Fewer rings and strides, shorter repeats: some 5 s.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the curves as .svg or .png, or the document as .json; may be repeated.",
)
def command(
    least: str,
    most: str,
    pages: str,
    strides: str | None,
    threads: str | None,
    cpus: str | None,
    quick: bool,
    as_json: bool,
    output: tuple[Path, ...],
) -> None:
    """Measure the latency of caches and memory.

    Walks rings of cache lines in random order, of growing size, with small and huge pages, great
    strides, several threads and each pair of NUMA nodes; looks for the levels in the curve and sets
    them against sysfs. Ctrl-C keeps what was measured.
    """
    from harness.labs.memory.options import OptionTexts, lab_options  # noqa: PLC0415
    from harness.labs.memory.outputs import check_outputs, show  # noqa: PLC0415
    from harness.labs.memory.session import run_session  # noqa: PLC0415
    from harness.workload.cores import usable_cpus  # noqa: PLC0415

    texts = OptionTexts(least=least, most=most, pages=pages, strides=strides, threads=threads)
    allowed = usable_cpus(cpus)
    options = lab_options(texts, quick=quick, cpu_count=len(allowed))
    check_outputs(output)
    show(run_session(options, allowed), output, as_json=as_json)
