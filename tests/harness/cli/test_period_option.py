"""The option --period."""

from pathlib import Path

from harness.cli.command_line import main

SAMPLE = "a 1/1 {}.0: 9 cycles:\n\t1 {} (/x)\n\n"


def test_the_graph_of_a_period_has_its_samples_only(tmp_path: Path) -> None:
    file, output = tmp_path / "perf.txt", tmp_path / "x.folded"
    file.write_text("".join(SAMPLE.format(s, name) for s, name in ((1, "f"), (2, "g"), (3, "h"))))
    assert main(["flame", str(file), "--period", "1-2", "-o", str(output)]) == 0
    assert output.read_text() == "a;g 1\n"
    assert main(["flame", "tests/captures/file.perf", "--period", "0-9", "-o", str(output)]) == 0
    assert output.read_text()
