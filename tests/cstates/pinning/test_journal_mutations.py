"""Any journal is either restored or rejected with an error of stallscope; never a traceback."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cstates.pinning.claims import claim_level, lock_owner, run_folder
from cstates.pinning.journal import PinOwner, boot_id, file_name, new_journal, write_journal
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.status import read_status
from harness.pin.result import restore_result, status_result
from harness.pin.text import restore_result_lines, status_lines
from stallscope.documents import encode
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand
from tests.long_tests import long_tests
from tests.mutations import paths

pytestmark = pytest.mark.long

EXAMPLES = long_tests(short=60, long=5000)
ODD = st.sampled_from(
    [
        None,
        True,
        -1,
        2**70,
        float("nan"),
        float("inf"),
        1e400,
        "",
        "\0",
        "\ud800",
        "\x1b[31m",
        "../../../etc/passwd",
        "9" * 5000,
        "x" * 5000,
        [],
        {},
        [[[[]]]],
        {"pid": float("inf"), "start_ticks": 0, "name": 1},
    ]
)


class Case:
    """A machine tree with a journal, and the folder outside of it that must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.roots = Roots.recorded(expand("zen4-server", folder / "machine"))
        self.run = folder / "run"
        self.outside = folder / "outside"
        self.outside.write_text("keep\n")
        changes = make_plan(self.roots, bench_profile(PinRequest())).journaled[:6]
        owner = PinOwner(2**22 + 1, 1, "killed")
        with run_folder(self.run, self.roots) as opened:
            write_journal(opened, 0, new_journal(self.roots, owner, changes))
        self.document: Any = json.loads((self.run / file_name(0)).read_bytes())
        assert self.document["boot_id"] == boot_id(self.roots)

    def read_and_restore(self, content: bytes) -> None:
        """Run status and restore on a journal with this content."""
        (self.run / file_name(0)).write_bytes(content)
        try:
            status = status_result(read_status(self.roots, self.run))
            assert encode(status)
            assert all(line.isascii() or line for line in status_lines(status))
            with (
                run_folder(self.run, self.roots) as opened,
                claim_level(opened, self.roots, "next") as claim,
            ):
                result = restore_result(claim.recovered)
            assert encode(result)
            assert restore_result_lines(result)
        except StallscopeError as error:
            assert error.message
        assert self.outside.read_text() == "keep\n"


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    return Case(tmp_path_factory.mktemp("mutations"))


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_journal_with_odd_values_gives_no_traceback(case: Case, data: st.DataObject) -> None:
    document = json.loads(json.dumps(case.document))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(list(paths(document))))
        target = document
        for key in way:
            target = target[key]
        target[last] = deepcopy(data.draw(ODD))
    case.read_and_restore(json.dumps(document).encode())


@settings(max_examples=EXAMPLES)
@given(start=st.integers(0, 2000), piece=st.binary(max_size=8), removed=st.integers(0, 40))
def test_a_journal_with_odd_bytes_gives_no_traceback(
    case: Case, start: int, piece: bytes, removed: int
) -> None:
    content = json.dumps(case.document).encode()
    case.read_and_restore(content[:start] + piece + content[start + removed :])


@pytest.mark.parametrize("content", [b"[" * 100_000, b"", b"null", b"1e999", b"\xff" * 100])
def test_a_journal_that_is_no_document_gives_no_traceback(case: Case, content: bytes) -> None:
    case.read_and_restore(content)


@pytest.mark.parametrize(
    "path",
    [
        "/sys/devices/system/cpu/cpufreq/policy0/../../../../../../etc/passwd",
        "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor/x",
        "/etc/passwd",
        "/sys/devices/system/cpu/cpufreq/policyX/scaling_governor",
    ],
)
def test_a_path_that_is_not_of_its_knob_is_rejected(case: Case, path: str) -> None:
    document = case.document | {"entries": [["governor", path, "a", "b"]]}
    (case.run / file_name(0)).write_text(json.dumps(document))
    with pytest.raises(StallscopeError, match="is not a path of governor"):
        read_status(case.roots, case.run)


def test_a_name_that_is_not_unicode_is_shown_escaped(case: Case) -> None:
    owner = case.document["owner"] | {"name": "x\udcff\ud800"}
    content = json.dumps(case.document | {"owner": owner}).encode()
    (case.run / file_name(0)).write_bytes(content)
    (pin,) = read_status(case.roots, case.run)
    assert pin.owner.name == r"x\udcff\ud800"
    case.read_and_restore(content)


@given(content=st.binary(max_size=200))
@settings(max_examples=EXAMPLES)
def test_any_content_of_a_lock_file_names_an_owner_or_none(case: Case, content: bytes) -> None:
    with run_folder(case.run, case.roots) as opened:
        (case.run / "pin-3.lock").write_bytes(content)
        (case.run / "pin-3.lock").chmod(0o600)
        assert lock_owner(opened, 3) is None or content
        odd = '{"pid": Infinity, "start_ticks": 1, "name": ""}'
        (case.run / "pin-3.lock").write_text(odd)
        assert lock_owner(opened, 3) is None
