"""Files of counts for a model."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stallscope.errors import ExitCode, RecordingError, StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots
from tests.topdown.slots.replay.files import SKL, written
from topdown.slots.replay.count_file import MAX_COUNTS
from topdown.slots.replay.model_readings import read_model_readings

MACHINES = Path(__file__).parents[3] / "machines"


def test_without_a_name_the_model_is_that_of_the_machine(tmp_path: Path) -> None:
    path = written(tmp_path, {"counts": {"cycles": 1}})
    for machine, cpu in (("intel-metal", "icx"), ("arm64-guest", "neoverse-n1")):
        assert (
            read_model_readings(path, roots=Roots.recorded(MACHINES / machine))[0].model.cpu == cpu
        )
    with pytest.raises(UnableError, match="AuthenticAMD family 25 model 1 "):  # Zen 3
        read_model_readings(path, roots=Roots.recorded(MACHINES / "amd-metal"))
    nothing = Roots.recorded(tmp_path)
    with pytest.raises(UnableError, match="no model of this machine's CPU"):
        read_model_readings(written(tmp_path, {"counts": {"cycles": 1}}), roots=nothing)


@pytest.mark.parametrize(
    "document",
    [
        "",
        "   \n",
        "[]",
        "{",
        "[1, 2]",
        '"text"',
        "{}",
        '{"counts": []}',
        '{"counts": {"cycles": "5"}, "cpu": "skl"}',
        '{"counts": {"cycles": true}, "cpu": "skl"}',
        '{"counts": {"cycles": NaN}, "cpu": "skl"}',
        '{"counts": {"cycles": Infinity}, "cpu": "skl"}',
        '{"counts": {"cycles": 1e999}, "cpu": "skl"}',
        '{"counts": {"cycles": 1e80}, "cpu": "skl"}',
        '{"counts": {"cycles": ' + "9" * 400 + '}, "cpu": "skl"}',
        '{"counts": {"cycles": ' + "9" * 5000 + '}, "cpu": "skl"}',
        '{"counts": {"cycles": 5}, "cpu": 7}',
        '{"counts": {"cycles": 5}, "cpu": "skl", "smt": "yes"}',
        '{"counts": {"cycles": 5}, "cpu": "neoverse-n2", "cpuid": "N2"}',
        '{"counts": {"cycles": 5}, "cpu": "neoverse-n2", "cpuid": -1}',
        '{"counts": {"no.such.event": 5}, "cpu": "skl"}',
        '{"counts": {}, "cpu": "skl"}',
        "[" * 100_000,
        '{"a":' * 50_000,
        json.dumps({"cpu": "skl", "counts": {f"e{n}": 1 for n in range(MAX_COUNTS + 1)}}),
    ],
)
def test_an_invalid_file_is_one_error(tmp_path: Path, document: str) -> None:
    with pytest.raises(RecordingError) as caught:
        read_model_readings(written(tmp_path, document))
    assert caught.value.exit_code == ExitCode.UNREADABLE
    assert caught.value.remedy
    assert len(caught.value.message) < 600


def test_a_mistyped_event_suggests_the_nearest_names(tmp_path: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        read_model_readings(written(tmp_path, {"cpu": "skl", "counts": {"UOPS_ISUED.ANY": 5}}))
    assert "UOPS_ISSUED.ANY" in caught.value.remedy


def test_an_unknown_cpu_suggests_the_nearest_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_model_readings(written(tmp_path, {"cpu": "skylak", "counts": SKL}))
    assert "skylake" in caught.value.remedy


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cpu", "counts", "smt", "cpuid", *list(SKL)]) | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON_VALUES)
def test_any_json_is_evaluated_or_refused(tmp_path: Path, document: object) -> None:
    path = written(tmp_path, document if isinstance(document, str) else json.dumps(document))
    try:
        for reading in read_model_readings(path, cpu="skl"):
            reading.tree()
    except StallscopeError as error:
        assert error.remedy
