"""The demo's part about sleep: idle intervals while the reference server has little to do."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cstates.advice.evidence import evidence_from
from cstates.advice.suggestions import Advice, advise
from cstates.idle.run import IdleRun
from cstates.pinning.claims import default_run_folder
from cstates.pinning.session import Place
from cstates.wake_latency import LEAST_ROUNDS, WakeTest, verdicts
from harness.cli.terminal import note, printable, wrapped
from harness.cstates.explain.text import advise_lines
from harness.cstates.latency.session import LatencyRequest, measure
from harness.cstates.record.files import PAGE
from harness.cstates.record.report import write_idle_page
from harness.cstates.record.session import RecordOptions, record
from harness.cstates.record.text import lines
from harness.load.text import rate_text
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.loader import running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import running_server
from stallscope.errors import StallscopeError
from stallscope.quantities import microseconds_text
from stallscope.system_files import Roots

RATE_PER_S = 500.0
RECORDED_S = 5.0
EXPECTED_S = RECORDED_S + 8.0  # with starting, reading the trace, and measuring wake-ups
_TAIL_S = 1.0  # of the load after what is recorded, at the most
_CONNECTIONS = 4
_INTERVALS = 100_000
_WAKES = WakeTest("tcp", think_us=1e6 / RATE_PER_S)
_ROUNDS_S = 0.15


def sleep_part(output: Path, room: int, *, seconds: float = RECORDED_S) -> list[str]:
    """Return what is to be said of sleep states and the advice, once the page is written.

    Without tracepoints the counters alone; where nothing can be recorded, the reason.
    """
    note("recording idle intervals at a low rate")
    heading = wrapped(
        f"Sleep states: the same server at {RATE_PER_S:,.0f} requests a second in an open loop, so "
        "that its CPUs sleep between requests.",
        room,
    )
    try:
        return [*heading, "", *_recorded(output, room, seconds)]
    except StallscopeError as error:
        why = f"Idle intervals were not recorded: {printable(error.message)}; {error.remedy}."
        return [*heading, "", *wrapped(why, room)]


def _recorded(output: Path, room: int, seconds: float) -> Sequence[str]:
    cores = two_cores(Roots(), usable_cpus(None))
    cpus = tuple(sorted((cores.server, cores.loader)))
    options = RecordOptions(
        command=(),
        duration_s=seconds,
        cpus=cpus,
        most_intervals=_INTERVALS,
        counters_only=False,
        output=output,
        force=False,
    )
    folder = output.with_name(f"{output.name}-load")
    folder.mkdir(mode=0o700)
    with running_server(ServerOptions(cpus=str(cores.server))) as server:
        low = _low_rate(folder, server.target, cores.loader)
        with running_load(replace(low, duration_s=seconds + _TAIL_S)) as load:
            load.wait_started()
            made = record(options)
            load.stop()
            loaded = load.finish()
    page = output / PAGE
    write_idle_page(page, output, made.run)
    latency = loaded.latency_us
    load_text = (
        f"Load: achieved {rate_text(loaded.achieved_rate_per_s)}; latency from the intended start "
        f"p50 {microseconds_text(latency.p50)}, p99 {microseconds_text(latency.p99)}"
    )
    return [
        *wrapped(load_text, room),
        *lines(made.run, room),
        "",
        "Advice for this machine:",
        *advise_lines(_advice(made.run, cpus), room),
        "",
        f"page  {printable(str(page))}",
    ]


def _advice(run: IdleRun, cpus: tuple[int, ...]) -> Advice:
    """Return the advice; what it suggests was tried on requests as far apart as those recorded.

    Where nothing can be closed, or not by this user, it says itself what is not shown.
    """
    found = advise(run)
    if found.suggestions:
        note("measuring requests with sleep states open and closed")
        place = Place(Roots(), default_run_folder(Roots()), "stallscope demo")
        request = LatencyRequest((_WAKES,), cpus, LEAST_ROUNDS, _ROUNDS_S)
        with suppress(StallscopeError):
            found = advise(run, evidence_from(verdicts(measure(place, request).results)))
    return found


def _low_rate(folder: Path, target: str, cpu: int) -> LoadOptions:
    return LoadOptions(
        target=target,
        output=folder,
        warmup_s=0.0,
        connections=_CONNECTIONS,
        rate_per_s=RATE_PER_S,
        cpus=str(cpu),
    )
