"""Damaged files of recorded machines: shown, or refused with one error."""

import contextlib
import io
import shutil
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.cli.command_line import group
from stallscope.errors import StallscopeError
from tests.long_tests import long_tests
from tests.mutations import garbled

EXAMPLES = long_tests(short=10, long=1000)
MACHINES = Path(__file__).parents[1] / "machines"
COMMANDS = (
    ("doctor", "--json"),
    ("doctor",),
    ("cstates", "show", "--json"),
    ("cstates", "show"),
    ("io", "queue", "/"),
)
pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=["intel-metal", "arm64-guest", "container"])
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A writable copy of a recorded machine."""
    return shutil.copytree(MACHINES / request.param, tmp_path_factory.mktemp("machine") / "m")


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_machine_is_shown_or_refused(machine: Path, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(path for path in machine.rglob("*") if path.is_file())))
    content = file.read_bytes()
    roots = ("--proc-root", str(machine / "proc"), "--sysfs-root", str(machine / "sys"))
    try:
        file.write_bytes(data.draw(garbled(content)))
        words = (*data.draw(st.sampled_from(COMMANDS)), *roots)
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(StallscopeError, click.ClickException),
        ):
            group.main(words, standalone_mode=False)
    finally:
        file.write_bytes(content)
