"""`stallscope export metrics`: the metrics of recordings."""

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope export metrics slow-query
  stallscope export metrics load -o /var/lib/node_exporter/load.prom
  stallscope export metrics slow-query --format otlp -o slow-query.pb
  stallscope export metrics monday           (all hosts of stallscope fleet record)
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("-"),
    metavar="FILE",
    help="Output file. Default: standard output.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["prometheus", "otlp"]),
    default="prometheus",
    show_default=True,
    help="Text of Prometheus and OpenMetrics, or a MetricsData message of OTLP.",
)
@click.option(
    "--top",
    type=click.IntRange(0, 10_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Most functions, threads, thread groups, locks and causes to export, of each kind.",
)
def command(runs: tuple[Path, ...], output: Path, file_format: str, top: int) -> None:
    """Write the metrics of recordings as Prometheus text or OTLP.

    RUN is a recording of any kind, a perf.data file, or a directory of `stallscope fleet record`.
    The metrics of several recordings have the labels host and recording. Values that were not
    measured are left out. Histograms of logs are merged and have the same buckets in all
    recordings.
    """
    from harness.export.metrics.options import (  # noqa: PLC0415 - start-up stays light
        ExportMetricsOptions,
        MetricsFormat,
    )
    from harness.export.metrics.session import run_export  # noqa: PLC0415

    run_export(
        ExportMetricsOptions(
            runs=runs, output=output, file_format=MetricsFormat(file_format), top=top
        )
    )
