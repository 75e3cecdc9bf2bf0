"""Encodings of events from fields of a vendor's table."""

import pytest

from topdown.slots.generate.encodings import intel as intel_encoding


def test_intel_without_an_encoding_is_refused() -> None:
    with pytest.raises(KeyError):
        intel_encoding("EVT.X", {})
    with pytest.raises(KeyError):
        intel_encoding("EVT.A:strange", {"EVT.A": {"EventCode": "0x1"}})
