"""Facts about target and engine as labels and texts."""

from pathlib import Path

from harness.io.target_facts import engine_facts, failure_notes, known_limits, target_facts
from ioprobe.curve.verdicts import RequestLimit
from ioprobe.engine.engine import EngineFacts
from ioprobe.engine.runner import EngineRunner
from ioprobe.target.target import TargetRequirements, open_target
from stallscope.errors import UnableError


def test_a_simulated_disk_is_marked_as_modelled() -> None:
    with open_target("sim:servers=4,service=2ms", TargetRequirements(), announce=print) as target:
        assert target_facts(target, ())["disk"].startswith("4 servers of 2 ms, ")
        assert target_facts(target, ())["disk"].endswith("modelled")
        assert known_limits(target) == ()


def test_a_file_has_its_size_and_filesystem_and_the_limits_of_its_queue(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(2**20))
    with open_target(str(path), TargetRequirements(), announce=print) as target:
        facts = target_facts(target, (RequestLimit("nr_requests of sda", 1024),))
    assert "1 MiB" in facts["measured on"]
    assert facts["admits"] == "1,024 (nr_requests of sda)"


def test_features_that_the_engine_could_not_use_have_their_reason() -> None:
    with open_target("sim:servers=4,service=2ms", TargetRequirements(), announce=print) as target:
        runner = EngineRunner(target)
        runner.engines |= {"uring", "preadv2"}
        assert engine_facts(runner) == {"engine": "preadv2, uring"}
        runner.facts = EngineFacts("measured", "io_uring_disabled is 2", None, direct=True)
        assert engine_facts(runner) == {
            "engine": "preadv2, uring",
            "io_uring": "not used: io_uring_disabled is 2",
            "scheduling": "real-time class",
        }


def test_an_error_that_ended_the_measurement_is_a_note() -> None:
    assert failure_notes(None) == ()
    assert failure_notes(UnableError("no answer", "")) == ("ended by an error: no answer",)
