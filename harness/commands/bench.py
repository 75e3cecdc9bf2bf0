"""`stallscope bench`: benchmark runs and their statistics; the module of a verb is bench_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
BENCH: dict[str, str] = {
    "run": "Measure commands in random order: time, memory, faults, switches, counters.",
    "compare": "Compare benchmark results in the Go format.",
    "gate": "Fail if a command became slower, at a nominal rate of 2.5 % of false alarms.",
    "scale": "Model how throughput grows with threads or connections.",
    "history": "Keep benchmark results and find the runs in which they changed.",
}
EXAMPLES = """\b
Examples:
  stallscope bench run -n 30 -- ./work
  stallscope bench compare old.txt new.txt
  stallscope bench history results --add bench.txt --label 1a2b3c4
  stallscope bench gate --base './old' --head './new' --fail-if slower:2%
  stallscope bench scale --counts 1,2,4,8 -- ./work --threads {n}
"""


@click.group(cls=LazyGroup, table=BENCH, module="harness.commands.bench_{}", epilog=EXAMPLES)
def command() -> None:
    """Run benchmarks, compare them, and model their scalability."""
