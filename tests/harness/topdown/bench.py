"""A machine with a collector that replays known counts."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import pytest

from harness.cli.recording_options import TargetChoice
from harness.topdown.counting import CountingBackend
from harness.topdown.options import OutputForm, SlotSource, TopdownOptions
from harness.topdown.session import run_topdown
from stallscope.collector import CollectionEnd, CollectorProgress, CountOptions
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from tests.topdown.slots.counting.skylake import DEVICES, INTEL

COMMAND = TargetChoice((), ("./work",), False, "", "", None)
OPTIONS = TopdownOptions(SlotSource.PMU, None, COMMAND, OutputForm.JSON)


@dataclass
class Bench:
    """A machine with a fake collector, and the printed output."""

    roots: Roots
    counts: PlayedCollector
    capsys: pytest.CaptureFixture[str]
    progress: int = 0

    def collect(
        self,
        options: CountOptions,
        follow: Callable[[CollectorProgress], None],
        output: IO[str] | None,
    ) -> CollectionEnd:
        del output
        outcome = self.counts(options)
        for at in range(self.progress):
            follow(CollectorProgress(seconds=at * 0.1))
        return outcome

    def run(self, options: TopdownOptions) -> tuple[int, str]:
        code = run_topdown(options, CountingBackend(self.roots, self.collect))
        return code, self.capsys.readouterr().out

    def document(self, **changes: Any) -> Any:
        code, text = self.run(replace(OPTIONS, **changes))
        assert code == ExitCode.DONE
        return json.loads(text)

    def text(self, **changes: Any) -> str:
        code, text = self.run(replace(OPTIONS, form=OutputForm.TEXT, **changes))
        assert code == ExitCode.DONE
        return text


def machine(folder: Path, **files: str) -> Roots:
    result = {f"{DEVICES}/cpu/type": "4\n", f"{DEVICES}/cpu/events/cpu-cycles": "event=0x3c\n"}
    return Roots.recorded(recorded(folder, "machine", result | files, INTEL.format(94)))
