"""The sleep part of the demo: idle intervals while the reference server has a low load."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from cstates.advice.suggestions import advise
from cstates.pinning.claims import default_run_folder
from cstates.pinning.session import PinContext
from cstates.wake_latency import MIN_ROUNDS, WakeTest
from harness.cli.terminal import note, printable, wrapped
from harness.cstates.advise.result import AdviseResult, advise_result
from harness.cstates.advise.text import advise_lines
from harness.cstates.latency.options import LatencyOptions
from harness.cstates.latency.session import measure
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.files import PAGE
from harness.cstates.record.options import RecordOptions
from harness.cstates.record.panel import idle_panel, write_idle_page
from harness.cstates.record.result import IdleResult
from harness.cstates.record.session import record
from harness.cstates.record.text import lines
from harness.demo.report import DemoPart
from harness.load.text import rate_text
from harness.page.panels import TABLE_STYLE, Panel
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.loader import running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import running_server
from stallscope.errors import StallscopeError
from stallscope.quantities import count_text, microseconds_text
from stallscope.system_files import Roots

RATE_PER_S = 500.0
_ID, _TITLE = "idle", "Sleep states at a low rate"
RECORDED_S = 3.0
EXPECTED_S = RECORDED_S + 8.0  # including start, reading the trace, and measuring wake-ups
_TAIL_S = 1.0  # longest load after the recording
_CONNECTIONS = 4
_INTERVALS = 100_000
_WAKES = WakeTest("tcp", think_us=1e6 / RATE_PER_S)
_ROUNDS_S = 0.15


@dataclass(frozen=True, slots=True)
class SleepPart:
    """The lines of the sleep part, and its panels with the verdict."""

    lines: list[str]
    part: DemoPart


def sleep_part(output: Path, room: int, *, seconds: float = RECORDED_S) -> SleepPart:
    """Return sleep states and advice after their page is written.

    Without tracepoints the counters alone are recorded. If nothing can be recorded, the lines and
    the verdict give the reason.
    """
    note("recording idle intervals at a low rate")
    heading = wrapped(
        f"Sleep states: the same server at {RATE_PER_S:,.0f} requests per second in an open loop, "
        "so that its CPUs sleep between requests.",
        room,
    )
    try:
        recorded = _record(output, room, seconds)
    except StallscopeError as error:
        why = f"Idle intervals were not recorded: {printable(error.message)}; {error.remedy}."
        part = DemoPart(_ID, _TITLE, None, why)
        return SleepPart([*heading, "", *wrapped(why, room)], part)
    return SleepPart([*heading, "", *recorded.lines], recorded.part)


def _record(output: Path, room: int, seconds: float) -> SleepPart:
    cores = two_cores(Roots(), usable_cpus(None))
    cpus = tuple(sorted((cores.server, cores.loader)))
    options = RecordOptions(
        command=(),
        duration_s=seconds,
        cpus=cpus,
        max_intervals=_INTERVALS,
        counters_only=False,
        output=output,
        force=False,
    )
    folder = output.with_name(f"{output.name}-load")
    folder.mkdir(mode=0o700)
    with running_server(ServerOptions(cpus=str(cores.server))) as server:
        load_options = _low_rate(folder, server.target, cores.loader)
        with running_load(replace(load_options, duration_s=seconds + _TAIL_S)) as load:
            load.wait_started()
            recorded = record(options)
            load.stop()
            result = load.finish()
    page = output / PAGE
    write_idle_page(page, output, recorded)
    latency = result.latency_us
    load_text = (
        f"Load: achieved {rate_text(result.achieved_rate_per_s)}; latency from the intended start "
        f"p50 {microseconds_text(latency.p50)}, p99 {microseconds_text(latency.p99)}"
    )
    advice = _advice(recorded, cpus)
    lines_of_part = [
        *wrapped(load_text, room),
        *lines(recorded, room),
        "",
        "Advice for this machine:",
        *advise_lines(advice, room),
        "",
        f"page  {printable(str(page))}",
    ]
    panels = (Panel(idle_panel(recorded), (TABLE_STYLE,)),)
    return SleepPart(lines_of_part, DemoPart(_ID, _TITLE, page, _verdict(advice), panels))


def _verdict(advice: AdviseResult) -> str:
    count = len(advice.suggestions)
    if not count:
        return "no suggestion: sleep states and frequency stay as they are"
    return f"{count_text(count, 'suggestion')} for sleep states and frequency"


def _advice(recorded: IdleResult, cpus: tuple[int, ...]) -> AdviseResult:
    """Return the advice; suggestions are tested with requests at the recorded rate.

    If sleep states cannot be disabled here, or not by this user, the advice says what is untested.
    """
    run = idle_run(recorded)
    advice = advise(run)
    if advice.suggestions:
        note("measuring requests with sleep states enabled and disabled")
        context = PinContext(Roots(), default_run_folder(Roots()), "stallscope demo")
        options = LatencyOptions((_WAKES,), cpus, MIN_ROUNDS, _ROUNDS_S)
        with suppress(StallscopeError):
            advice = advise(run, measure(context, options).evidence)
    return advise_result(advice)


def _low_rate(folder: Path, target: str, cpu: int) -> LoadOptions:
    return LoadOptions(
        target=target,
        output=folder,
        warmup_s=0.0,
        connections=_CONNECTIONS,
        rate_per_s=RATE_PER_S,
        cpus=str(cpu),
    )
