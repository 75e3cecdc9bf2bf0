"""The conditions of a disk measurement."""

import pytest

from harness.io.conditions import DiskConditions


@pytest.mark.parametrize(("modelled", "source"), [(True, "modelled"), (False, "measured")])
def test_a_simulated_disk_is_modelled(modelled: bool, source: str) -> None:
    conditions = DiskConditions("/srv", modelled=modelled, facts={}, warnings=(), seconds=1.0)
    assert conditions.source == source
