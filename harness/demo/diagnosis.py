"""The diagnosis of the demo: the reference server with stages off, then on, under load."""

from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.terminal import note
from harness.diagnose.options import FREQUENCY_HZ, MAX_COST, DiagnoseOptions
from harness.diagnose.page.latency import RequestLatency
from harness.diagnose.page.page import DiagnosePageContent
from harness.diagnose.pass_recorder import record_pass
from harness.diagnose.session import page_content
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import Side
from harness.labs.stages.profiles import saturated_server
from harness.labs.stages.rounds import StagesSetup
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.request_files import generate_path_requests
from stallscope.collector import CollectorOptions
from stallscope.errors import StallscopeError
from stallscope.recordings import open_recording
from stallscope.system_files import Roots

DIAGNOSED_S = 3.0
_ATTACH_S, _ANALYSIS_S = 5.0, 8.0
EXPECTED_S = 2 * (DIAGNOSED_S + _ATTACH_S) + _ANALYSIS_S


@dataclass(frozen=True, slots=True)
class ServerDiagnosis:
    """The diagnosis of the server with stages, compared with that without; or why there is none."""

    content: DiagnosePageContent | None
    missing: str = ""


def diagnose_server(
    options: StagesOptions, page: Path, latency: RequestLatency, *, seconds: float = DIAGNOSED_S
) -> ServerDiagnosis:
    """Return the diagnosis, whose page will be ``page``. ``latency``: of the lab's requests.

    The recordings are ``unstaged`` and ``staged`` in the directory ``server`` of the demo.
    """
    folder = options.output / "server"
    try:
        recordings = _record_sides(options, folder, seconds)
        note("reading the recordings")
        baseline, recording = (recordings[side] for side in (Side.UNSTAGED, Side.STAGED))
        content = page_content(open_recording(recording), page, baseline=baseline)
    except StallscopeError as error:
        return ServerDiagnosis(None, f"{error.message}; {error.remedy}")
    return ServerDiagnosis(replace(content, latency=latency))


def _record_sides(options: StagesOptions, folder: Path, seconds: float) -> dict[Side, Path]:
    """Return the recordings of both servers, each saturated by the loader."""
    folder.mkdir(mode=0o700)
    cores = two_cores(Roots(), usable_cpus(None), threads=options.threads)
    requests = generate_path_requests(options.path, folder / "requests.resp", options.seed)
    setup = StagesSetup(replace(options, output=folder), cores, requests)
    recordings = {}
    for side in Side:
        note(f"recording the {side} server by its pid")
        recordings[side] = folder / str(side)
        with saturated_server(setup, side, duration_s=seconds, name="load") as server:
            collector = CollectorOptions(
                output=recordings[side],
                pids=(server.pid,),
                duration_s=seconds,
                frequency_hz=FREQUENCY_HZ,
                max_cost=MAX_COST,
                waits=True,
            )
            record_pass(DiagnoseOptions(collector, None, None, as_json=False), None)
    return recordings
