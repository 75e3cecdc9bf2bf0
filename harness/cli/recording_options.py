"""The options of commands that observe a target: what, how long, and how to sample it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import SecondsRange
from harness.cli.option_group import Option, option_group
from harness.cli.outputs import default_directory
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError
from stallscope.recordings import Target

DEFAULT_DURATION_S = 10.0
# A copy must hold more than one frame, and the size of a sample is a 16-bit number.
MIN_STACK_BYTES = 256
MAX_STACK_BYTES = 65_528
_PID = re.compile(r"0*[1-9][0-9]{0,9}")


class Pids(click.ParamType[tuple[int, ...]]):
    """Process ids, separated by commas."""

    name = "pid[,pid...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the ids; a usage error if one is not a positive whole number."""
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(_PID.fullmatch(word) and int(word) < 2**31 for word in words):
            self.fail(f"{value!r} is not a process id or a list such as 123,456", param, ctx)
        return tuple(int(word) for word in words)


_CHOICES = (
    click.option(
        "-p", "--pid", "pids", type=Pids(), multiple=True, help="Observe these processes."
    ),
    click.option("-a", "--all", "system_wide", is_flag=True, help="Observe all CPUs."),
    click.option("-C", "--cpus", default="", metavar="LIST", help="Observe CPUs, such as 0-3,7."),
    click.option(
        "-G", "--cgroup", default="", metavar="PATH", help="Observe a cgroup or container."
    ),
)
_DURATION = click.option(
    "-d",
    "--duration",
    type=SecondsRange(min=0),
    metavar="S",
    help="Duration in seconds, or with a unit (2m); 0: until Ctrl-C or the end of the target. "
    "Default: 10, or until a command ends.",
)
_WORDS = click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- CMD...]")


# What to observe, and how long.
choice_options = option_group(*_CHOICES, _DURATION, _WORDS)


def process_options(words: str = "[-- CMD...]") -> Option:
    """Return what adds the options for processes or a command to observe, and how long.

    ``words``: what else than a command may be named, for the line of usage.
    """

    argument = click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar=words)
    return option_group(_CHOICES[0], _DURATION, argument)


# What to observe, and how to sample it.
target_options = option_group(
    *_CHOICES,
    click.option(
        "-e",
        "--event",
        default="",
        metavar="EVENT",
        help="Event to sample on (any libpfm4 name). Default: cycles, else cpu-clock.",
    ),
    click.option(
        "--with",
        "counted",
        default="",
        metavar="EVENTS",
        help="Also count these events, by function: each sample holds their counts.",
    ),
    click.option(
        "--slots",
        is_flag=True,
        help="Count IPC and pipeline slots by function (needs a PMU).",
    ),
    click.option(
        "-F",
        "--frequency",
        "frequency_hz",
        type=click.IntRange(1, 1_000_000),
        metavar="HZ",
        help="Samples per second on each busy CPU. Default: 999.",
    ),
    click.option(
        "-c",
        "--period",
        type=click.IntRange(min=1),
        metavar="N",
        help="Sample every N events, instead of -F.",
    ),
    _DURATION,
    click.option(
        "--stacks",
        type=click.Choice(["fp", "dwarf", "auto"]),
        default="auto",
        help="Method that records user stacks: fp follows frame pointers, dwarf copies the "
        "stack and unwinds it later, auto selects one by the target. Default: auto.",
    ),
    click.option(
        "--stack-bytes",
        type=click.IntRange(MIN_STACK_BYTES, MAX_STACK_BYTES),
        metavar="N",
        help="Bytes to copy of each stack, a multiple of 8. Default: 8192.",
    ),
    click.option(
        "--python",
        type=click.Choice(["auto", "off"]),
        default="auto",
        help="Read frames of CPython 3.11 and later (auto), or not (off). Default: auto.",
    ),
    click.option("--user", "scope", flag_value="user", help="Sample user code only."),
    click.option(
        "--kernel",
        "scope",
        flag_value="kernel",
        help="Require samples of kernel code too.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Directory for the recording. Default: stallscope-<target>-<time>.",
    ),
    click.option(
        "--max-size",
        "max_size_mib",
        type=click.IntRange(1, 1 << 30),
        metavar="MIB",
        help="End the recording at this size, and keep it. Default: 2048 if waits are "
        "recorded, otherwise 8192.",
    ),
    click.option("--force", is_flag=True, help="Replace an existing recording."),
    _WORDS,
)


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """What to observe (exactly one of the first five fields is set), and how long.

    ``duration_s`` None means until Ctrl-C or the end of the target.
    """

    pids: tuple[int, ...]
    command: tuple[str, ...]
    system_wide: bool
    cpus: str
    cgroup: str
    duration_s: float | None

    def describe(self) -> str:
        """Return the name of the target for people."""
        kind = "process" if self.pids else "command" if self.command else "cpus"
        kind = "cgroup" if self.cgroup else kind
        return Target(kind, self.pids, self.cpus, self.cgroup, self.command).describe()


def choice(values: dict[str, Any], command_name: str = "profile") -> TargetChoice:
    """Return the validated choice; UsageError unless exactly one target is named."""
    pids = tuple(dict.fromkeys(pid for group in values["pids"] for pid in group))
    command = tuple(values["words"])
    targets = [bool(pids), bool(command), values["system_wide"], bool(values["cpus"])]
    if pids and command and all(_PID.fullmatch(word) for word in command):
        raise UsageError(
            f"separate process ids with commas: {' '.join(command)} is not part of the list",
            f"-p {','.join([*map(str, pids), *command])}; by name: -p $(pgrep -d, -x NAME)",
        )
    if sum([*targets, bool(values["cgroup"])]) != 1:
        raise UsageError(
            "name exactly one target: -p PID, -a, -C CPUS, -G CGROUP or -- CMD",
            f"for example: stallscope {command_name} -p $(pidof redis-server)",
        )
    duration = values["duration"]
    if duration is None and not command:
        duration = DEFAULT_DURATION_S
    wide, cpus, cgroup = values["system_wide"], values["cpus"], values["cgroup"]
    return TargetChoice(pids, command, wide, cpus, cgroup, duration or None)


def collector_options(values: dict[str, Any]) -> CollectorOptions:
    """Return the validated options of the collector; UsageError if they contradict each other."""
    chosen = choice(values)
    if values["frequency_hz"] is not None and values["period"] is not None:
        raise UsageError("-F and -c exclude each other", "keep one of them")
    counted = tuple(word for word in values["counted"].split(",") if word)
    if values["slots"] and (counted or values["event"]):
        raise UsageError(
            "--slots chooses the events and excludes -e and --with", "keep one of them"
        )
    if (values["stack_bytes"] or 0) % 8 != 0:
        raise UsageError(
            f"--stack-bytes {values['stack_bytes']} is not a multiple of 8", "for example: 16384"
        )
    if values["stack_bytes"] and values["stacks"] == "fp":
        raise UsageError(
            "--stacks fp copies no stacks, so --stack-bytes has no effect",
            "leave one of them out, or use --stacks dwarf",
        )
    return CollectorOptions(
        output=values["output"] or default_output(chosen),
        pids=chosen.pids,
        command=chosen.command,
        system_wide=chosen.system_wide,
        cpus=chosen.cpus,
        cgroup=chosen.cgroup,
        event=values["event"],
        counted=counted,
        frequency_hz=values["frequency_hz"],
        period=values["period"],
        duration_s=chosen.duration_s,
        scope=values["scope"] or "",
        force=values["force"],
        stacks=values["stacks"],
        stack_bytes=values["stack_bytes"],
        python=values["python"],
        max_size_mib=values["max_size_mib"],
    )


def default_output(chosen: TargetChoice) -> Path:
    """Return the name of a new directory here, made of the target and the time."""
    if chosen.pids:
        target = "-".join(map(str, chosen.pids[:3]))
    elif chosen.command:
        target = "".join(
            character
            for character in Path(chosen.command[0]).name
            if character.isalnum() or character in "._-"
        )[:32]
    else:
        target = "cgroup" if chosen.cgroup else "cpus"
    return default_directory(target)
