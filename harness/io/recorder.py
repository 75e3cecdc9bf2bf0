"""A disk's recording while it is made: begun before, forgotten where nothing came of it."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import click
from msgspec import structs

from cstates.fingerprint import Fingerprint
from cstates.observation import Observation
from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, note, printable, report_command, width
from harness.io.page import write_page
from harness.io.recording import (
    PAGE,
    IoRun,
    make_directory,
    write_document,
    write_manifest,
)
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
    group: str = "io"  # whose verb it is
    ran_here: bool = True  # something did, so this machine's settings are told
    begin_ns: int = field(default_factory=lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    _before: Observation | None = field(default=None, init=False)
    _settings: Fingerprint | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Return itself, the directory made and its manifest begun."""
        self._before = settings_now() if self.ran_here else None
        if self.folder is not None:
            make_directory(self.folder, force=self.force)
            write_manifest(self._run(self.folder, ()), end=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what holds nothing."""
        if kind is not None and self.folder is not None:
            remove_empty(self.folder)

    def keep(
        self,
        result: Result,
        panels: Sequence[Panel],
        files: Mapping[str, RecordedFile] | None = None,
    ) -> Result:
        """Write the result, other files by name and the page; return the result with settings.

        A simulated disk has no settings of this machine.
        """
        if result.source == "measured":
            self._settings = settings_since(self._before)
        if self.folder is not None:
            self._write(self.folder, result, panels, files or {})
        return structs.replace(result, settings=self._settings)

    def _write(
        self,
        folder: Path,
        result: RecordedResult,
        panels: Sequence[Panel],
        files: Mapping[str, RecordedFile],
    ) -> None:
        run = self._run(folder, [(name, file.format) for name, file in files.items()])
        write_whole(folder / run.document, [encode(result) + "\n"])
        for name, file in files.items():
            if file.content is not None:
                write_whole(folder / name, [file.content])
        write_manifest(
            run,
            end="duration" if result.complete else "signal",
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
            click.echo(encode(result))
            return
        self._show_text(lines)

    def _show_text(self, lines: Iterable[str]) -> None:
        output = [*lines, *settings_lines(self._settings, width())]
        click.echo("\n".join(output), color=colours())
        if self.folder is not None:
            click.echo(f"\nrecording  {printable(str(self.folder))}")
            click.echo(f"page       {printable(str(self.folder / PAGE))}")
            note(f"to see it again: {report_command(self.folder)}")

    def keep_document(
        self,
        document: Mapping[str, object],
        files: Mapping[str, tuple[str, str | bytes | None]],
        warnings: Iterable[str],
        *,
        end: str | None = None,
    ) -> None:
        """Write the document, other files (name to form and content), and the page.

        A file without content is there already: the engine's log. ``end`` is "duration" or
        "signal"; without it the document's ``complete`` tells. What ran in virtual time has no
        settings of this machine.
        """
        modelled = document["source"] == "modelled"
        self._settings = None if modelled else settings_since(self._before)
        if self.folder is None:
            return
        run = self._run(self.folder, [(name, form) for name, (form, _) in files.items()])
        write_document(run, document)
        for name, (_, content) in files.items():
            if content is not None:
                write_whole(self.folder / name, [content])
        end = end or ("duration" if document["complete"] else "signal")
        write_manifest(run, end=end, modelled=modelled, warnings=warnings, settings=self._settings)
        from harness.report.disk import write_recorded_page  # noqa: PLC0415 - until every verb is typed

        write_recorded_page(self.folder)

    def tell(self, document: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
        """Print the document, or its text and where all is; and what it ran under."""
        if as_json:
            places = {} if self.folder is None else {"recording": str(self.folder)}
            settings = self._settings and self._settings.document()
            whole = {**document, "settings": settings} | places
            click.echo(json.dumps(whole, allow_nan=False))
            return
        self._show_text(lines)

    def _run(self, folder: Path, files: Iterable[tuple[str, str]]) -> IoRun:
        return IoRun(folder, self.verb, self.path, self.begin_ns, dict(files), self.group)
