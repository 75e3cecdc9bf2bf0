"""One run of the stages lab on this machine: cores, rounds, replay, profiles, page."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, printable, width
from harness.labs.stages.document import lab_document
from harness.labs.stages.page_files import write_stages_page
from harness.labs.stages.plan import SATURATED, Side, StagesOptions
from harness.labs.stages.profiles import Profiles, count_sides, profile_sides
from harness.labs.stages.replay import replay_sides
from harness.labs.stages.results import Reading, Replays, SlotsFound, StagesResults, capacity
from harness.labs.stages.rounds import Bench, run_rounds
from harness.labs.stages.text import lines
from harness.recordings.settings_text import settings_now, settings_since
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.request_files import generate_path_requests
from stallscope.errors import UsageError
from stallscope.system_files import Roots

_REPLAY_S = 20.0  # expected, of both sides
_ATTACH_S = 5.0  # expected, of attaching, ending and reading a profile


@dataclass(slots=True)
class _Progress:
    """The line that says what is done, and about how long the rest takes."""

    left_s: float
    on_phase: Callable[[str], None]
    line: LiveLine = field(default_factory=LiveLine)

    def phase(self, what: str) -> None:
        """Say that a part begins, to who follows parts, and on the line."""
        self.line.clear()
        self.on_phase(what)
        self.begin(what)

    def begin(self, what: str) -> None:
        self.line.show(f"{what}; about {self.left_s:.0f} s left")

    def done(self, seconds: float) -> None:
        self.left_s = max(0.0, self.left_s - seconds)


@dataclass(slots=True)
class _Found:
    """What is known so far; an interruption keeps it."""

    readings: list[Reading] = field(default_factory=list)
    capacity_per_s: float | None = None
    replays: Replays = field(default_factory=lambda: Replays(None, None, "", "not reached"))
    slots: SlotsFound = field(default_factory=lambda: SlotsFound({}, "not reached"))
    profiles: Profiles = field(default_factory=lambda: Profiles({}, "not reached"))


def _unsaid(phase: str) -> None:
    del phase


def run_lab(
    options: StagesOptions, cpus: str | None, on_phase: Callable[[str], None] = _unsaid
) -> StagesResults:
    """Return what was found; Ctrl-C ends the lab and keeps complete pairs.

    ``on_phase`` is told of each part as it begins, beside the live line of a terminal. Raises
    UnableError where server and loader cannot have a core each, KeyboardInterrupt where nothing was
    measured yet.
    """
    cores = two_cores(Roots(), usable_cpus(cpus))
    _make_output(options.output)
    before = settings_now()
    found = _Found()
    progress = _Progress(expected_s(options), on_phase)
    interrupted = False
    try:
        progress.phase("making the requests")
        requests = generate_path_requests(
            options.path, options.output / "requests.resp", options.seed
        )
        _measure(Bench(options, cores, requests), found, progress)
    except KeyboardInterrupt:
        interrupted = True
        if len(found.readings) < 2:
            raise
    finally:
        progress.line.clear()
    return StagesResults(
        options=options,
        cores=cores,
        readings=tuple(found.readings),
        capacity_per_s=found.capacity_per_s,
        replays=found.replays,
        slots=found.slots,
        profiles=found.profiles.recordings,
        profiles_why_not=found.profiles.why_not,
        interrupted=interrupted,
        settings=settings_since(before),
    )


def expected_s(options: StagesOptions) -> float:
    """Return what the whole lab takes, about."""
    profiles = 2 * (options.profile_s + _ATTACH_S) if options.profile_s else 0.0
    return options.rounds_s + profiles + (_REPLAY_S if options.replay else 0.0)


def _measure(bench: Bench, found: _Found, progress: _Progress) -> None:
    options = bench.options

    def keep(reading: Reading) -> None:
        found.readings.append(reading)
        progress.done(options.run_s)
        turn = reading.turn
        progress.begin(
            f"{turn.load.describe()}, pair {turn.pair + 1} of {options.pairs}, {turn.side}: "
            f"{reading.throughput:,.0f} requests/s"
        )

    progress.phase("saturated, stages off and on in turn")
    run_rounds(bench, [SATURATED], capacity_per_s=None, on_reading=keep)
    found.capacity_per_s = capacity(found.readings)
    if options.loads:
        progress.phase("the same rates for both, in an open loop")
        run_rounds(bench, options.loads, capacity_per_s=found.capacity_per_s, on_reading=keep)
    if not options.replay:
        found.replays = Replays(None, None, "", "it was not asked for")
    else:
        progress.phase("replaying logged requests under callgrind")
        found.replays = replay_sides(bench)
        progress.done(_REPLAY_S)
    found.slots = count_sides(bench, Roots(), lambda side: progress.phase(f"counting: {side}"))
    if options.profile_s:
        found.profiles = profile_sides(bench, _profiling(options, progress))
    else:
        found.profiles = Profiles({}, "none were asked for")


def _profiling(options: StagesOptions, progress: _Progress) -> Callable[[Side], None]:
    def begin(side: Side) -> None:
        progress.phase(f"profiling the {side} server by its pid")
        progress.done(options.profile_s + _ATTACH_S)

    return begin


def _make_output(path: Path) -> None:
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        raise UsageError(f"{path} is there already", "name another directory with -o") from None
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}", "name another with -o") from error


def write_results(results: StagesResults) -> Path:
    """Return the path of the page, written beside the document."""
    document = json.dumps(lab_document(results), allow_nan=False, indent=1)
    write_whole(results.options.output / "stages.json", [document + "\n"])
    return write_stages_page(results)


def show(results: StagesResults, *, as_json: bool) -> Path:
    """Return the page's path, once the results are written and printed."""
    page = write_results(results)
    if as_json:
        click.echo(json.dumps(lab_document(results), allow_nan=False))
        return page
    for line in lines(results, width()):
        click.echo(line, color=colours())
    click.echo(f"\npage  {printable(str(page))}")
    return page
