from msgspec import structs

from harness.diagnose.panel import findings_panel
from tests.harness.diagnose.page.contents import content


def test_a_card_has_cost_evidence_place_and_what_to_try() -> None:
    markup = str(findings_panel(content().result).markup)
    assert 'id="finding-1"' in markup
    assert "user-lock" in markup
    assert 'href="#causes"' in markup
    assert "times faster" in markup
    assert "Confidence" in markup


def test_names_are_escaped() -> None:
    result = content().result
    finding = structs.replace(result.findings[0], sentence="<script>alert(1)</script>")
    markup = str(findings_panel(structs.replace(result, findings=(finding,))).markup)
    assert "<script>" not in markup
    assert "&lt;script&gt;" in markup
