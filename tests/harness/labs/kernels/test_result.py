"""The result of the kernels lab."""

import json

from harness.labs.kernels.result import KernelsResult
from stallscope.documents import decode, encode
from tests.harness.labs.kernels.measurements import DRAM
from tests.harness.labs.kernels.results import result


def test_the_document_keeps_the_names_that_scripts_use() -> None:
    document = json.loads(encode(result("dram_bound")))
    assert document["schema"] == "stallscope.lab.kernels/1"
    (row,) = document["rows"]
    assert {key: row[key] for key in ("kernel", "expected", "answer", "kind")} == {
        "kernel": "pointer-chase-dram",
        "expected": DRAM,
        "answer": DRAM,
        "kind": "modelled",
    }
    assert document["settings"]["states"][1]["entries"] == 9
    assert decode(encode(result("dram_bound")), KernelsResult, "kernels") == result("dram_bound")
