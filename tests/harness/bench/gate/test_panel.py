"""The page of a gate: verdict, figures, pictures; hostile words are escaped."""

from msgspec import structs

from benchmarks.gate_noise import NORMAL, NoisyMachine
from harness.bench.gate.panel import gate_page
from tests.harness.bench.gate.test_result import result_of


def test_the_page_begins_with_the_verdict_and_has_all_blocks() -> None:
    result = result_of(list(NoisyMachine(NORMAL, 2).blocks(0.05)(20)))
    page = gate_page(structs.replace(result, base_command=("old", "<i>x</i>")))
    assert page.index("regression (measured, slower:2%)") < page.index("noise floor (A/A)")
    assert page.count("<svg") == 2
    assert "old &lt;i&gt;x&lt;/i&gt;" in page
    assert "noisy" in page
