"""The recording of a disk measurement: started before it, completed or removed after it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

import click
from msgspec import structs

from cstates.fingerprint import Fingerprint
from cstates.observation import Observation
from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, note, printable, report_command, width
from harness.io.page import write_page
from harness.io.recording import PAGE, IoRecording, make_directory, write_manifest
from harness.page.panels import Panel
from harness.recordings.directory import remove_empty
from harness.recordings.results import RecordedResult
from harness.recordings.settings_text import settings_lines, settings_now, settings_since
from stallscope.documents import encode

Result = TypeVar("Result", bound=RecordedResult)


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of a recording; without content the native program has written it already."""

    format: str
    content: str | bytes | None = None


@dataclass(slots=True)
class Recorder:
    """The recording of one verb's run; nothing is written without a folder."""

    verb: str
    path: str
    folder: Path | None
    force: bool = False
    group: str = "io"  # of the verb: "io" or "lab"
    has_settings: bool = True  # False if the result does not depend on the machine's settings
    begin_ns: int = field(default_factory=lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    _before: Observation | None = field(default=None, init=False)
    _settings: Fingerprint | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Return itself after creating the directory with an incomplete manifest."""
        self._before = settings_now() if self.has_settings else None
        if self.folder is not None:
            make_directory(self.folder, force=self.force)
            write_manifest(self._recording(self.folder, ()), end=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove a recording without a result."""
        if kind is not None and self.folder is not None:
            remove_empty(self.folder)

    def keep(
        self,
        result: Result,
        panels: Sequence[Panel],
        files: Mapping[str, RecordedFile] | None = None,
        *,
        end: Literal["duration", "signal"] | None = None,
    ) -> Result:
        """Write the result, other files by name and the page; return the result with settings.

        ``end`` is the reason for the end; by default it follows from ``result.complete``. A
        simulated disk has no settings of this machine.
        """
        if result.source == "measured":
            self._settings = settings_since(self._before)
        if self.folder is not None:
            end = end or ("duration" if result.complete else "signal")
            self._write(self.folder, result, panels, files or {}, end)
        return structs.replace(result, settings=self._settings)

    def _write(
        self,
        folder: Path,
        result: RecordedResult,
        panels: Sequence[Panel],
        files: Mapping[str, RecordedFile],
        end: str,
    ) -> None:
        recording = self._recording(folder, [(name, file.format) for name, file in files.items()])
        write_whole(folder / recording.document, [encode(result) + "\n"])
        for name, file in files.items():
            if file.content is not None:
                write_whole(folder / name, [file.content])
        write_manifest(
            recording,
            end=end,
            modelled=result.source == "modelled",
            warnings=result.warnings,
            settings=self._settings,
        )
        write_page(folder, [(result, panels)])

    def show(self, result: RecordedResult, lines: Iterable[str], *, as_json: bool) -> None:
        """Print the result as JSON or as text, with the machine's settings and the paths."""
        if as_json:
            if self.folder is not None:
                result = structs.replace(result, recording=str(self.folder))
            click.echo(document_text(result))
            return
        output = [*lines, *settings_lines(self._settings, width())]
        click.echo("\n".join(output), color=colours())
        if self.folder is not None:
            click.echo(f"\nrecording  {printable(str(self.folder))}")
            click.echo(f"page       {printable(str(self.folder / PAGE))}")
            note(f"to see it again: {report_command(self.folder)}")

    def _recording(self, folder: Path, files: Iterable[tuple[str, str]]) -> IoRecording:
        return IoRecording(folder, self.verb, self.path, self.begin_ns, dict(files), self.group)
