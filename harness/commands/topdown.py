"""`stallscope topdown`: says where the pipeline's slots went."""

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope topdown --source replay:counts.json
  stallscope topdown --source replay:counts.json -l 3 --json | jq '.[0].nodes.Backend_Bound'
  perf stat -j -o counts.jsonl -M TopdownL1 make
  stallscope topdown --source replay:counts.jsonl --cpu spr
"""
REPLAY = "replay:"


@click.command(epilog=EXAMPLES)
@click.option(
    "--source",
    required=True,
    metavar="replay:FILE",
    help="Where the counts come from. replay:FILE reads them from a file: JSON with cpu and "
    "counts, or the output of perf stat -j or perf stat -x.",
)
@click.option(
    "-l",
    "--level",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the tree down to level N. Default: 2, and further below what is over its "
    "threshold; for scripts all.",
)
@click.option(
    "--cpu", default="", metavar="CPU", help="Use this CPU's model, whatever the file says."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one element a reading.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV table, one line a node.")
def command(source: str, level: int | None, cpu: str, as_json: bool, as_csv: bool) -> None:
    """Say where the pipeline's slots went.

    Every slot is retired work, work thrown away, or waits for the front or the back of the
    pipeline; the tree leads down to what a person can change. Today counts come from a file that
    another tool counted.
    """
    from harness.terminal import colours, width  # noqa: PLC0415 - start-up stays light
    from harness.topdown_document import replay_elements, replay_rows  # noqa: PLC0415
    from harness.topdown_tree import lines  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415
    from topdown.slots.replayed import replayed  # noqa: PLC0415

    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other", "keep one of them")
    if not source.startswith(REPLAY) or source == REPLAY:
        raise UsageError(
            f"--source {source!r} is none that is there", "name a file: --source replay:FILE"
        )
    found = replayed(Path(source.removeprefix(REPLAY)), cpu=cpu)
    _check_level(level, max(each.model.deepest for each in found))
    trees = (each.tree() for each in found)
    if as_json or as_csv:
        for text in (replay_elements if as_json else replay_rows)(trees, level):
            click.echo(text, nl=False)
        return
    for place, (each, tree) in enumerate(zip(found, trees, strict=True)):
        for line in [*([""] if place else []), *lines(each.reading, tree, level, width())]:
            click.echo(line, color=colours())


def _check_level(level: int | None, deepest: int) -> None:
    from stallscope.errors import UsageError  # noqa: PLC0415

    if level is not None and level > deepest:
        raise UsageError(
            f"-l {level}: this CPU's tree has {deepest} level{'s' if deepest > 1 else ''}",
            f"choose 1 to {deepest}",
        )
