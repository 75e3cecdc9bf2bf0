"""`stallscope cstates`: the cost of sleep states; each verb has a module beside this one."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; the module of a verb is cstates_VERB. A test compares the texts.
CSTATES = {
    "show": "Show each CPU's sleep states, what closes them, and its frequency.",
    "simulate": "Replay idle intervals through the kernel's governors.",
    "explain": "Show the cost of each kind of sleep in a recording.",
    "advise": "Suggest changes that make wake-ups cost less.",
    "latency": "Measure wake-ups with sleep states open and closed.",
    "compare": "Compare a command's run time under several settings.",
    "record": "Record idle intervals: length, cause of the wake-up, measured exit latency.",
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
