"""Starting a recording: with the group of events that tells slots by function, where asked for."""

import sys
from dataclasses import replace

from harness.cli.terminal import note, warn
from harness.profile.recorder import record
from stallscope.collector import CollectionEnd, CollectorOptions
from stallscope.errors import ExitCode, StallscopeError
from stallscope.recordings import Recording
from stallscope.system_files import Roots
from topdown.slots.detection import model_of_machine
from topdown.slots.sampling_group import SamplingGroup, check_counters, groups_for

# Of the collector's refusal: the events were found, and do not fit together.
_TOO_LARGE = "in one group"


def start(
    options: CollectorOptions, *, slots: bool, as_json: bool, print_warnings: bool = False
) -> tuple[Recording, CollectionEnd]:
    """Return the closed recording and how it ended, as ``record`` does.

    ``slots``: counts what tells slots by function on this machine, or IPC alone where the counters
    do not hold more; UnableError if it has none, or no model. With ``as_json`` the command's
    standard output goes to standard error.
    """
    command_output = sys.stderr if as_json else None
    if not slots:
        return record(options, command_output, print_warnings=print_warnings)
    check_counters(Roots())
    model = model_of_machine(Roots())
    *richer, last = groups_for(model, Roots())
    for group in richer:
        try:
            return record(_counting(options, group), command_output, print_warnings=print_warnings)
        except StallscopeError as error:
            if error.exit_code != ExitCode.UNABLE or _TOO_LARGE not in str(error):
                raise
            warn(f"{group.what} by function cannot be counted: {error}")
    return record(_counting(options, last), command_output, print_warnings=print_warnings)


def _counting(options: CollectorOptions, group: SamplingGroup) -> CollectorOptions:
    note(f"counting {group.what} by function")
    return replace(options, event=group.sampled, counted=group.members, leader=group.leader)
