"""The JSON that commands print matches the published schema of its document."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
STALLSCOPE = Path(sys.executable).with_name("stallscope")
DISK = "sim:servers=2,service=1ms"
VECTOR = ROOT / "tests" / "topdown" / "slots" / "vectors" / "icl.json"

pytestmark = pytest.mark.live


def documents(*words: str) -> Iterator[dict[str, object]]:
    """Yield the documents that a command prints."""
    ended = subprocess.run(
        [str(STALLSCOPE), *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode in (0, 1), ended.stderr
    printed = json.loads(ended.stdout)
    yield from printed if isinstance(printed, list) else [printed]


def check(name: str, *words: str) -> None:
    """Assert that a command prints documents of that name, each valid by its schema."""
    printed = list(documents(*words))
    assert printed
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    for document in printed:
        assert str(document["schema"]).startswith(f"stallscope.{name}/")
        jsonschema.validate(document, schema)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("doctor", ["doctor", "--json"]),
        ("cstates.show", ["cstates", "show", "--json"]),
        (
            "cstates.simulate",
            ["cstates", "simulate", "--table", "Z600", "--workload", "periodic:1ms", "--json"],
        ),
        ("pin", ["pin", "--dry-run", "--aslr", "off", "--json", "--", "true"]),
        ("pin.status", ["pin", "status", "--json"]),
        ("pin.restore", ["pin", "restore", "--json"]),
        ("topdown.replay", ["topdown", "--source", f"replay:{VECTOR}", "--json"]),
        ("io.curve", ["io", "curve", DISK, "--repeats", "1", "--duration", "0.1", "--json"]),
        ("io.probe", ["io", "probe", DISK, "--count", "100", "--json"]),
        ("io.queue", ["io", "queue", str(ROOT), "--json"]),
        (
            "lab.storm",
            ["lab", "storm", DISK, "--rounds", "1", "--seconds", "0.2", "--recommended", "2",
             "--json"],
        ),
    ],
)  # fmt: skip
def test_the_document_of_a_command_is_valid(name: str, words: list[str]) -> None:
    check(name, *words)


def test_the_matrix_of_a_disk_is_valid() -> None:
    check("io.mix", "io", "mix", DISK, "--duration", "0.1", "--sizes", "4K", "--json")


def test_a_profile_and_its_report_are_valid(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    spin = "import time; end = time.monotonic() + 1\nwhile time.monotonic() < end: pass"
    check("profile", "profile", "--json", "-o", run, "--", sys.executable, "-c", spin)
    check("profile", "report", "--json", run)
    check("record", "record", "--json", "-o", f"{run}-2", "--", sys.executable, "-c", spin)
