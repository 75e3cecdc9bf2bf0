"""`stallscope cstates`: what sleep states cost, each verb a module beside this one."""

import click

from harness.cli.lazy_group import LazyGroup

# Every verb with its short help; its module is cstates_VERB. A test holds this to the verbs' help.
CSTATES = {
    "show": "Show each CPU's sleep states, what closes them, and its frequency.",
    "simulate": "Replay idle intervals through the kernel's governors.",
    "explain": "Say which sleeps of a recording cost what.",
    "advise": "Say what to change so that wake-ups cost less, if anything.",
    "latency": "Measure wake-ups with sleep states open and closed.",
    "compare": "Run a command under several settings in turn, and say which gains.",
    "record": "Record idle intervals: lengths, what woke the CPUs, measured exit latency.",
}
EXAMPLES = """\b
Examples:
  stallscope cstates show --interval 2
  stallscope cstates record -o idle --duration 10
  stallscope cstates advise idle
  stallscope cstates compare -- ./client
  stallscope cstates simulate --table Z600 --workload request-reply:250us
"""


@click.group(cls=LazyGroup, table=CSTATES, module="harness.commands.cstates_{}", epilog=EXAMPLES)
def command() -> None:
    """Show what sleep states and frequency changes cost."""
