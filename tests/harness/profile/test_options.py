"""Options of `stallscope profile`."""

from pathlib import Path

import pytest

from harness.profile.options import AnalysisOptions, ProfileOptions
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError


def options(*, slots: bool, locate: bool) -> ProfileOptions:
    collector = CollectorOptions(output=Path("run"))
    return ProfileOptions(
        collector, AnalysisOptions(), slots=slots, locate=locate, top=15, as_json=False
    )


def test_locating_needs_the_nodes_of_slots() -> None:
    with pytest.raises(UsageError, match="--locate needs the nodes that --slots flags"):
        options(slots=False, locate=True)
    assert options(slots=True, locate=True).locate
