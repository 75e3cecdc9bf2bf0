"""The recording of benchmark runs: bench.txt, the result, the manifest, the page."""

from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.bench.run.bench_text import text_lines
from harness.bench.run.measurement import Measured
from harness.bench.run.panel import render_page
from harness.bench.run.result import BenchRunResult
from harness.cli.outputs import write_whole
from harness.recordings import directory as recording_directory
from harness.recordings.host_facts import host_facts
from harness.recordings.manifest import BenchManifest, this_host
from harness.recordings.settings_text import settings_facts
from stallscope import __version__
from stallscope.documents import encode, read_document
from stallscope.recordings import (
    MANIFEST,
    Notice,
    RecordedEnd,
    RecordedEvent,
    RecordedFile,
    Target,
    read_manifest,
)

KIND = "bench"
BENCH_TEXT = "bench.txt"
DOCUMENT = "bench.json"
PAGE = "report.html"


def make_directory(path: Path, *, force: bool) -> None:
    """Create the directory of the recording; with force an existing recording is replaced."""
    files = (BENCH_TEXT, DOCUMENT, PAGE)
    recording_directory.make_directory(
        path, KIND, subject="benchmark runs", force=force, own_files=lambda _: files
    )


def write_manifest(
    directory: Path,
    begin_ns: int,
    command: tuple[str, ...],
    result: BenchRunResult | None = None,
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json: incomplete without a result, else complete."""
    reason = "" if result is None else ("duration" if result.complete else "signal")
    manifest = BenchManifest(
        command=("stallscope", "bench", "run", *command),
        target=Target("command", command=command),
        source=RecordedEvent(event="wall time", unit="ns", scope="process"),
        files=(
            RecordedFile(name=BENCH_TEXT, format="Go benchmark format"),
            RecordedFile(name=DOCUMENT, format="stallscope.bench.run/1"),
        ),
        settings=settings,
        warnings=tuple(Notice("bench", text) for text in (result.warnings if result else ())),
        end=RecordedEnd(reason=reason),
    )
    recording_directory.write_manifest(
        directory, manifest, begin_ns=begin_ns, ended=result is not None
    )


def write_results(directory: Path, result: BenchRunResult, measured: Measured) -> None:
    """Write bench.txt and the document."""
    names = [command.name for command in result.commands]
    places = [command.place for command in result.commands]
    lines = text_lines(names, measured, this_host(), __version__, places)
    write_whole(directory / BENCH_TEXT, (f"{line}\n" for line in lines))
    write_whole(directory / DOCUMENT, [encode(result) + "\n"])


def read_result(directory: Path) -> BenchRunResult:
    """Return the result of a recording; RecordingError if it is missing or damaged."""
    return read_document(directory / DOCUMENT, BenchRunResult)


def write_page(
    directory: Path,
    result: BenchRunResult,
    settings: Fingerprint | None,
    output: Path | None = None,
) -> Path:
    """Return the path of the page of a recording; by default it is in the recording."""
    facts = host_facts(read_manifest(directory / MANIFEST))
    machine = {label: text for label, text in facts.items() if text} | settings_facts(settings)
    page = output or directory / PAGE
    write_whole(page, [render_page(result, recording_name=directory.resolve().name, facts=machine)])
    return page
