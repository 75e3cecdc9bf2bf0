"""The footprint sweep on the terminal."""

import re
from pathlib import Path

from harness.labs.stages.sweep.result import sweep_result
from harness.labs.stages.sweep.text import lines
from tests.harness.labs.stages.sweep.sweeps import sweep


def test_both_tables_and_the_finding_are_printed(tmp_path: Path) -> None:
    text = "\n".join(lines(sweep_result(sweep(tmp_path)), 120))
    assert "L1I 32 KB, L2 1024 KB" in text
    assert re.search(r"512 KB +default +10,000 +16,000 +1\.600 \(1\.594 to 1\.606\) n=5 +16", text)
    assert re.search(r"512 KB +4 +10,000 +13,000", text)
    assert "misses per request are modelled: I1 32 KB, 8 ways" in text
    assert "finding: Stages pay on this machine" in text
