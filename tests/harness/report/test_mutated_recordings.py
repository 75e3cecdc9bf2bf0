"""Damaged recordings of every kind: the report succeeds, or fails with one error."""

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.report.options import ReportOptions
from harness.report.session import report
from stallscope.errors import StallscopeError
from tests.harness.topdown.counters_recording import counters_recording
from tests.long_tests import long_tests
from tests.mutations import garbled, mutated_json

RECORDINGS = Path(__file__).parents[2] / "recordings"
EXAMPLES = long_tests(short=6, long=1500)
CAPTURES = Path(__file__).parents[2] / "captures"
SAMPLES = ("pipe", "dwarf", "group", "switches", "two_events")
KINDS = (
    "probe", "curve", "mix", "queue", "watch", "storm", "load", "idle", "counters", *SAMPLES,
)  # fmt: skip
KALLSYMS = "".join(f"ffffffff8100{place:04x} T function_{place}\n" for place in range(0, 4096, 64))
pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=KINDS)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A writable copy of a recording of each kind."""
    folder = tmp_path_factory.mktemp("recordings") / request.param
    if request.param == "counters":
        return counters_recording(folder)
    if request.param in SAMPLES:
        shutil.copytree(RECORDINGS / "samples", folder)
        shutil.copy(CAPTURES / f"{request.param}.perf", folder / "samples.perf")
        (folder / "kallsyms").write_text(KALLSYMS)
        (folder / "jit").mkdir()
        (folder / "jit" / "17941.map").write_text("7f0000001000 100 work\n7f0000001080 9 inner\n")
        return folder
    return shutil.copytree(RECORDINGS / request.param, folder)


def run_report(folder: Path, *, as_json: bool) -> None:
    """Report a recording; any other error than a StallscopeError propagates."""
    options = ReportOptions(with_page=not as_json, as_json=as_json, output=None)
    with (
        contextlib.redirect_stdout(io.StringIO()) as output,
        contextlib.suppress(StallscopeError),
    ):
        report(folder, options)
        text = output.getvalue()
        if as_json:
            for line in text.splitlines():
                json.loads(line, parse_constant=refuse)
        assert "\x1b]" not in text


def refuse(constant: str) -> float:
    raise AssertionError(f"{constant} is not JSON")


def changed_file(name: str, content: bytes, draw: Callable[..., bytes]) -> bytes:
    if name.endswith(".json"):
        return draw(st.one_of(mutated_json(json.loads(content)), garbled(content)))
    return draw(garbled(content))


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_recording_is_reported_or_refused(recording: Path, data: st.DataObject) -> None:
    files = sorted(
        path for path in recording.rglob("*") if path.is_file() and path.suffix != ".html"
    )
    file = data.draw(st.sampled_from(files))
    content = file.read_bytes()
    try:
        file.write_bytes(changed_file(file.name, content, data.draw))
        run_report(recording, as_json=data.draw(st.booleans()))
    finally:
        file.write_bytes(content)


@pytest.mark.parametrize("as_json", [False, True])
def test_the_whole_recording_is_reported(recording: Path, as_json: bool) -> None:
    options = ReportOptions(with_page=not as_json, as_json=as_json)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        report(recording, options)
    assert output.getvalue()
