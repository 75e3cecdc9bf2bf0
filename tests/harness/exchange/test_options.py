"""Options of `stallscope import`."""

from pathlib import Path

import pytest

from harness.exchange.options import ImportOptions
from stallscope.errors import UsageError
from topdown.stacks.formats.perf_script import FoldedNames


def test_names_need_folded_output() -> None:
    names = FoldedNames(kernel=True)
    assert ImportOptions(path=Path("x"), folded=Path("-"), names=names).names.kernel
    with pytest.raises(UsageError, match="change folded names only"):
        ImportOptions(path=Path("x"), names=names)
