"""The text of a mix for a terminal."""

from harness.io.mix.text import lines
from tests.harness.io.mix.results import result


def test_the_text_has_the_maximum_rates_and_masked_cells() -> None:
    text = list(lines(result(), 100))
    assert text[0] == "Reads and writes together on /srv/<db>: 4 KiB random requests, modelled"
    assert text[2] == "Maximum: 100,000 reads/s alone and 40,000 writes/s alone"
    assert max(map(len, text)) <= 100
    assert any("cells not tried" in line for line in text)
