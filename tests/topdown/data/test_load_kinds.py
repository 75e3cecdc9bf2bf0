"""Names of fields."""

import pytest

from topdown.data.load_kinds import FieldName, decodes
from topdown.stacks.elf.file import EM_AARCH64, EM_X86_64


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (FieldName("order", "next"), "order.next"),
        (FieldName("order", ""), "order"),
        (FieldName("totals", "[]"), "totals[]"),
    ],
)
def test_a_field_is_written_as_in_a_program(name: FieldName, text: str) -> None:
    assert name.text == text


def test_only_x86_64_code_is_analysed() -> None:
    assert decodes(EM_X86_64)
    assert not decodes(EM_AARCH64)
