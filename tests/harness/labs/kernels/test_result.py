"""The result of the kernels lab, as JSON and on the terminal."""

import json

from harness.labs.kernels.diagnosis import SlotSources, diagnose_kernels
from harness.labs.kernels.result import KernelsResult
from harness.labs.kernels.text import closing_lines, lines
from stallscope.documents import decode, encode
from tests.harness.labs.kernels.measurements import DRAM, kernel, measurement
from tests.harness.labs.stages.measurements import SETTINGS


def result(answer: str) -> KernelsResult:
    sources = SlotSources(modelled=lambda _: measurement("backend_bound", answer))
    rows = diagnose_kernels((kernel(),), sources, lambda _: None)
    return KernelsResult(settings=SETTINGS, rows=tuple(rows))


def test_the_document_keeps_the_names_that_scripts_use() -> None:
    document = json.loads(encode(result("dram_bound")))
    assert document["schema"] == "stallscope.lab.kernels/1"
    (row,) = document["rows"]
    assert {key: row[key] for key in ("kernel", "expected", "found", "kind")} == {
        "kernel": "pointer-chase-dram",
        "expected": DRAM,
        "found": DRAM,
        "kind": "modelled",
    }
    assert document["settings"]["states"][1]["entries"] == 9
    assert decode(encode(result("dram_bound")), KernelsResult, "kernels") == result("dram_bound")


def test_the_text_gives_the_reason_of_a_wrong_row() -> None:
    wrong = result("l2_bound")
    assert not wrong.passed
    text = "\n".join(lines(wrong, 80))
    assert "wrong" in text.splitlines()[1]
    assert "pointer-chase-dram: by test" in text
    assert "0 right, 1 wrong" in list(closing_lines(wrong, 80))
