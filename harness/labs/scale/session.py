"""One run of the scale lab on this machine: its runs, its progress, where the results go."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, note, width
from harness.labs.scale.plan import Point, ScaleOptions, runs
from harness.labs.scale.result import ScaleResults, ScaleRun, csv_lines, lines, scale_document
from harness.labs.stages.rounds import KEYS
from harness.recordings.settings_text import settings_now, settings_since
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.request_files import generate_path_requests
from harness.workload.server import running_server
from stallscope.errors import UsageError
from stallscope.system_files import Roots

SUFFIXES = (".csv", ".json")


def run_lab(options: ScaleOptions, cpus: str | None) -> ScaleResults:
    """Return what was found; Ctrl-C ends the lab and keeps its runs.

    Raises UnableError where server and loader cannot have a CPU each.
    """
    allowed = usable_cpus(cpus)
    cores = two_cores(Roots(), allowed)
    server_cpus = (cores.server, *sorted(allowed - {cores.server, cores.loader}), cores.loader)
    shared = frozenset(
        point for point in options.points if options.threads_of(point) >= len(server_cpus)
    )
    before = settings_now()
    found: list[ScaleRun] = []
    interrupted = False
    line = LiveLine()
    total = len(options.points) * options.rounds
    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        place = Path(folder)
        try:
            requests = generate_path_requests(options.path, place / "requests.resp", seed=1)
            for number, point in runs(options):
                left_s = (total - len(found)) * options.run_s
                line.show(
                    f"round {number + 1} of {options.rounds}: {point.n} {point.axis}; "
                    f"about {left_s:.0f} s left"
                )
                found.append(_run(options, point, _Place(cores, server_cpus, place, requests)))
        except KeyboardInterrupt:
            interrupted = True
            if not found:
                raise
        finally:
            line.clear()
    return ScaleResults(options, cores, tuple(found), shared, interrupted, settings_since(before))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where runs happen: CPUs, a folder for what the loader writes, the requests."""

    cores: Cores
    server_cpus: tuple[int, ...]
    folder: Path
    requests: Path | None


def _run(options: ScaleOptions, point: Point, place: _Place) -> ScaleRun:
    threads = options.threads_of(point)
    pinned = [place.server_cpus[at % len(place.server_cpus)] for at in range(threads)]
    server_options = ServerOptions(
        path=options.path,
        stages=options.stages,
        threads=threads,
        cpus=",".join(map(str, pinned)),
    )
    with running_server(server_options) as server:
        load = LoadOptions(
            target=server.target,
            output=Path(tempfile.mkdtemp(dir=place.folder)),
            duration_s=options.duration_s,
            warmup_s=options.warmup_s,
            connections=options.connections_of(point),
            pipeline=options.pipeline,
            read_share=1.0,
            request_file=place.requests,
            keys=KEYS,
            cpus=str(place.cores.loader),
        )
        if place.requests is None:
            fill_keys(load)
        with running_load(load) as loader:
            result, rate = loader.finished_rate()
    why = (result.why or "it says no more") if result.limited_by_loader else ""
    return ScaleRun(point, rate, why)


def check_outputs(paths: tuple[Path, ...]) -> None:
    """Raise UsageError for a file of a kind that cannot be written, before anything is run."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise UsageError(f"-o {path}: its kind is not known", f"use {', '.join(SUFFIXES)}")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"-o {path}: there is no such directory", "make it first")


def show(results: ScaleResults, paths: tuple[Path, ...], *, as_json: bool) -> None:
    """Print the results, and write the files that were asked for."""
    document = json.dumps(scale_document(results), allow_nan=False)
    if as_json:
        click.echo(document)
    else:
        for line in lines(results, width()):
            click.echo(line, color=colours())
    for path in paths:
        is_csv = path.suffix.lower() == ".csv"
        write_whole(
            path,
            [f"{line}\n" for line in csv_lines(results)] if is_csv else [document + "\n"],
        )
        note(f"wrote {path}")
