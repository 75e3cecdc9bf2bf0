"""A disk's recording while it is made: begun before, forgotten where nothing came of it."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import click

from cstates.fingerprint import Fingerprint
from cstates.observation import Observation
from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, note, printable, report_command, width
from harness.io.recording import (
    PAGE,
    IoRun,
    make_directory,
    write_document,
    write_manifest,
)
from harness.io.report import with_settings, write_io_page
from harness.recordings.directory import forget_unbegun
from harness.recordings.settings_text import settings_lines, settings_now, settings_since


@dataclass(slots=True)
class Recorder:
    """One verb's recording of a path; without a folder nothing is written."""

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
            forget_unbegun(self.folder)

    def keep(
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
        write_io_page(self.folder)

    def tell(self, document: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
        """Print the document, or its text and where all is; and what it ran under."""
        if as_json:
            places = {} if self.folder is None else {"recording": str(self.folder)}
            whole = with_settings(document, self._settings) | places
            click.echo(json.dumps(whole, allow_nan=False))
            return
        told = [*lines, *settings_lines(self._settings, width())]
        click.echo("\n".join(told), color=colours())
        if self.folder is not None:
            click.echo(f"\nrecording  {printable(str(self.folder))}")
            click.echo(f"page       {printable(str(self.folder / PAGE))}")
            note(f"see it again with: {report_command(self.folder)}")

    def _run(self, folder: Path, files: Iterable[tuple[str, str]]) -> IoRun:
        return IoRun(folder, self.verb, self.path, self.begin_ns, dict(files), self.group)
