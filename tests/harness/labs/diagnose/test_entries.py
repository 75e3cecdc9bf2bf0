"""The table of known answers."""

from harness.diagnose.findings.rules import RULES
from harness.labs.diagnose.entries import CONTROL, LIVE, REPLAYED, entries
from harness.labs.diagnose.replayed import replayed_entries

# Rules without an entry in the table.
NO_ENTRY = {"sleep", "lock-convoy"}


def test_every_rule_has_an_entry_and_eighteen_or_more_causes_are_live() -> None:
    rows = (*entries(), *replayed_entries())
    modules = {rule.__name__.rpartition(".")[2] for rule in RULES}
    assert len(modules) - len(NO_ENTRY) <= len({row.cause for row in rows if row.cause})
    assert len({row.cause for row in rows if row.kind == LIVE}) >= 18


def test_every_live_entry_has_a_look_alike_a_cured_variant_and_a_distractor() -> None:
    for row in entries():
        if row.kind == LIVE:
            assert row.program, row.name
            assert row.look_alike, row.name
            assert row.cured, row.name
            assert row.distractor, row.name
            assert row.cured != row.program != row.look_alike, row.name


def test_names_are_unique_and_there_are_five_controls() -> None:
    rows = (*entries(), *replayed_entries())
    assert len({row.name for row in rows}) == len(rows)
    assert sum(row.kind == CONTROL and not row.cause for row in rows) == 5
    assert all(row.reason for row in rows if row.kind == REPLAYED)
