"""Recording with a group of events that measures pipeline slots by function."""

import sys
from dataclasses import replace

from harness.cli.terminal import note, warn
from harness.profile.recorder import record
from stallscope.collector import CollectionEnd, CollectorOptions
from stallscope.errors import ExitCode, StallscopeError
from stallscope.recordings import Recording

# Part of the collector's error if the events exist but do not fit into one group.
_TOO_LARGE = "in one group"


def record_group(
    options: CollectorOptions, *, slots: bool, as_json: bool, print_warnings: bool = False
) -> tuple[Recording, CollectionEnd]:
    """Return the closed recording and how it ended, as ``record`` does.

    ``slots``: count the events of pipeline slots, or of IPC only if the counters do not suffice;
    raises UnableError without counters or without a model of the CPU. With ``as_json`` the
    command's standard output goes to standard error.
    """
    command_output = sys.stderr if as_json else None
    if not slots:
        return record(options, command_output, print_warnings=print_warnings)
    from stallscope.system_files import Roots  # noqa: PLC0415 - only with counters
    from topdown.slots.detection import model_of_machine  # noqa: PLC0415
    from topdown.slots.sampling_group import check_counters, groups_for  # noqa: PLC0415

    check_counters(Roots())
    *richer, last = groups_for(model_of_machine(Roots()), Roots())
    for group in richer:
        note(f"counting {group.measures} by function")
        counting = _with_group(options, group.sampled, group.members, group.leader)
        try:
            return record(counting, command_output, print_warnings=print_warnings)
        except StallscopeError as error:
            if error.exit_code != ExitCode.UNABLE or _TOO_LARGE not in str(error):
                raise
            warn(f"{group.measures} by function cannot be counted: {error}")
    note(f"counting {last.measures} by function")
    counting = _with_group(options, last.sampled, last.members, last.leader)
    return record(counting, command_output, print_warnings=print_warnings)


def _with_group(
    options: CollectorOptions, sampled: str, members: tuple[str, ...], leader: str
) -> CollectorOptions:
    return replace(options, event=sampled, counted=members, leader=leader)
