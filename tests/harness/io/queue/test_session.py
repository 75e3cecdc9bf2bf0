"""`stallscope io queue` on made machines: what people read, the document, wrong usage."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.io.queue.document import document
from harness.io.queue.panel import queue_panel
from harness.io.queue.shown import QueueShown, queue_shown
from harness.io.queue.stalls import Watched
from harness.io.queue.text import lines as shown_lines
from ioprobe.block_queue.activity import ActivityInterval, DeviceActivity
from ioprobe.block_queue.queue import BlockQueue
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy, StallCause, SubmissionStalls
from stallscope.errors import ExitCode, RecordingError
from stallscope.json_fields import Fields
from stallscope.system_files import Roots

GOLDEN = Path(__file__).parent / "golden"
Machines = Callable[[str], Roots]
PATHS = {
    "nvme": "/srv/my data/x",
    "sata-rotational": "/boot",
    "virtio-guest": "/",
    "md-over-nvme": "/srv",
    "crypt-over-sata": "/home",
}


def shown(found: BlockQueue, watched: Watched | None) -> QueueShown:
    return queue_shown(Fields(json.loads(json.dumps(document(found, watched))), "made"))


def lines(found: BlockQueue, watched: Watched | None, room: int) -> Iterator[str]:
    return shown_lines(shown(found, watched), room)


@pytest.mark.parametrize("name", PATHS)
def test_what_people_read(machine: Machines, name: str) -> None:
    text = "\n".join(lines(read_block_queue(Path(PATHS[name]), machine(name)), None, 100)) + "\n"
    golden = GOLDEN / f"queue-{name}.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.exists(), f"see {golden.with_suffix('.got')}"
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


def arguments(roots: Roots, path: str, *options: str) -> list[str]:
    places = ["--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc)]
    return ["io", "queue", path, *places, *options]


def test_the_document(machine: Machines, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(machine("sata-rotational"), "/x", "--json")) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert made["schema"] == "stallscope.io.queue/1"
    assert made["mount"]["filesystem"] == "xfs"
    part, disk = made["devices"]
    assert part["queue"] is None
    assert disk["queue"]["nr_requests"] == 64
    assert disk["queue"]["tags"] == {"queues": 1, "per_queue": 32, "reserved": 0, "source": "sysfs"}
    assert (disk["queue"]["admitted"], disk["queue"]["on_device"]) == (64, 32)
    settings = {each["key"]: each for each in disk["settings"]}
    assert settings["nr_requests"]["label"] == "nr_requests"
    assert settings["nr_requests"]["value"] == "64"
    assert "request 65 waits" in settings["nr_requests"]["meaning"]
    assert made["complete"]
    assert (made["pressure"], disk["over_interval"]) == (None, None)
    assert made["pressure_missing"]


def test_every_number_is_finite_and_every_device_has_meanings(machine: Machines) -> None:
    for name, path in PATHS.items():
        made = document(read_block_queue(Path(path), machine(name)), None)
        json.dumps(made, allow_nan=False)
        devices: Any = made["devices"]
        assert all(device["settings"] for device in devices)


def watched(interval: ActivityInterval) -> Watched:
    return Watched(interval, None, "it is not to be had")


def test_what_devices_did_is_said(machine: Machines) -> None:
    found = read_block_queue(Path("/dev/sda"), machine("sata-rotational"))
    activity = DeviceActivity(100, 50, 409_600, 0, 0.25, 10.0, None, 2.0, 0.5)
    text = "\n".join(lines(found, watched(ActivityInterval(2.0, {"sda": activity})), 200))
    assert "In 2 s: 100 reads/s (400 KiB/s, mean 10 ms), 50 writes/s (0 B/s), 2 in flight" in text
    assert "not told: its counters" in "\n".join(
        lines(found, watched(ActivityInterval(2.0, {})), 200)
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--interval", "1"), "counters do not move"),
        (("--interval", "0"), "not in the range"),
    ],
)
def test_options_that_make_no_sense(
    machine: Machines, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert main(arguments(machine("nvme"), "/srv", *options)) == ExitCode.USAGE
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/none/there", "/dev/null"])
def test_paths_that_lead_nowhere(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "queue", path]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 2


def test_hostile_names_are_escaped(machine: Machines) -> None:
    roots = machine("sata-rotational")
    evil = "<b>\x1b[31m\u202ex"
    (roots.sys / "class/block/sda").resolve().joinpath("device/model").write_text(evil)
    path = roots.proc / "self/mountinfo"
    path.write_text(path.read_text().replace("xfs", evil))
    text = "\n".join(lines(read_block_queue(Path("/x"), roots), None, 80))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_narrow_terminal_holds_the_lines(machine: Machines) -> None:
    found = read_block_queue(Path("/home"), machine("crypt-over-sata"))
    assert all(len(line) <= 44 for line in lines(found, None, 44))


def stalls(**changes: Any) -> SubmissionStalls:
    one = ProcessStalls(
        pid=70,
        name="d\x1bb",
        requests=9,
        submitted=8,
        punts=6,
        punted_opcodes={22: 6},
        calls=8,
        blocked_calls=0,
        submit_p50_ns=4000,
        submit_p99_ns=9000,
        submit_max_ns=1_200_000,
        append_share=None,
        cause=StallCause.OVER_NR_REQUESTS,
    )
    quiet = replace(one, pid=71, submitted=0, punts=0, calls=0, cause=None)
    told: dict[str, Any] = {
        "processes": (replace(one, **changes), quiet),
        "occupancy": QueueOccupancy(8, 8),
        "lost_events": 5,
        "cpu_s": 0.1,
        "missing": ("x is not traced",),
    }
    return SubmissionStalls(**told)


def test_stalls_are_said_with_their_cause(machine: Machines) -> None:
    found = read_block_queue(Path("/dev/sda"), machine("sata-rotational"))
    seen = Watched(ActivityInterval(2.0, {}), stalls(), None)
    text = "\n".join(lines(found, seen, 400))
    assert "d\\x1bb (70): 6 of 8 requests punted to workers (75.0 %); 0 of 8" in text
    assert "p50 4 µs, p99 9 µs, max 1.2 ms. Cause: over nr_requests: the queue takes 8" in text
    assert "1 more: by plain reads" in text
    assert "5 events were lost" in text
    unknown = replace(seen, stalls=replace(stalls(), lost_events=None))
    text = "\n".join(lines(found, unknown, 400))
    assert "The kernel did not tell how many events it lost" in text
    assert "x is not traced" in text
    made: Any = document(found, seen)
    assert made["stalls"]["processes"][0]["cause"] == "over nr_requests"
    assert made["stalls"]["processes"][0]["punt_share"] == 0.75
    assert made["stalls_missing"] is None


@pytest.mark.parametrize("cause", StallCause)
def test_every_cause_has_words(machine: Machines, cause: StallCause) -> None:
    found = read_block_queue(Path("/dev/sda"), machine("sata-rotational"))
    text = "\n".join(
        lines(found, Watched(ActivityInterval(1.0, {}), stalls(cause=cause), None), 400)
    )
    assert f"Cause: {cause.value}" in text.replace("the filesystem", "filesystem")


@pytest.mark.live
def test_an_interval_on_this_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "queue", str(tmp_path), "--interval", "0.2", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["interval_s"] >= 0.2
    assert (made["stalls"] is None) == bool(made["stalls_missing"])


def test_a_recording_is_shown_again_as_text_document_and_page(
    machine: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    roots = machine("nvme")
    words = arguments(roots, "/srv/my data/x", "-o", str(folder))
    assert main(words) == 0
    told = capsys.readouterr().out
    assert main(words) == ExitCode.USAGE
    assert "already exists" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert capsys.readouterr().out == told
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == told
    assert main(["report", str(folder), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["schema"] == "stallscope.io.queue/1"
    page = (folder / "report.html").read_text()
    for text in (
        "Between the path and its disk",
        "nr_requests",
        "the number of requests on the device",
    ):
        assert text in page
    # Of which machine it is: not of the one that it was read on.
    assert made["recorded_at"] == str(roots.sys)
    where = f"of the machine whose files are in {made['recorded_at']}"
    assert where in page
    assert where in " ".join(told.split())


def test_the_panel_escapes_and_has_every_process_that_waited(machine: Machines) -> None:
    roots = machine("sata-rotational")
    evil = "<b>\x1b[31m\u202ex"
    (roots.sys / "class/block/sda").resolve().joinpath("device/model").write_text(evil)
    seen = Watched(ActivityInterval(2.0, {}), stalls(name=evil), None, interrupted=True)
    page = queue_panel(shown(read_block_queue(Path("/dev/sda"), roots), seen)).markup
    for raw in ("<b>", "\x1b", "\u202e"):
        assert raw not in page
    assert "6 of 8 (75.0 %)" in page
    assert "over nr_requests" in page
    assert "1 more: by plain reads" in page
    assert "interrupted" in page


@pytest.mark.parametrize(
    "change",
    [
        {"devices": 5},
        {"devices": [{"name": "sda"}]},
        {"depth": None},
        {"mount": {"point": "/"}},
        {"pressure": {"some": {"avg10": "much"}}},
        {"interval_s": 1.0, "stalls": {"cpu_s": 0.1}},
        {"interval_s": "long"},
    ],
)
def test_damaged_documents_are_refused(machine: Machines, change: dict[str, Any]) -> None:
    made = document(read_block_queue(Path("/x"), machine("sata-rotational")), None)
    with pytest.raises(RecordingError):
        queue_shown(Fields(json.loads(json.dumps(made | change)), "made"))


def test_a_cause_that_is_not_known_is_refused(machine: Machines) -> None:
    seen = Watched(ActivityInterval(2.0, {}), stalls(), None)
    made: Any = document(read_block_queue(Path("/dev/sda"), machine("sata-rotational")), seen)
    made["stalls"]["processes"][0]["cause"] = "the moon"
    with pytest.raises(RecordingError, match="the moon"):
        queue_shown(Fields(json.loads(json.dumps(made)), "made"))
