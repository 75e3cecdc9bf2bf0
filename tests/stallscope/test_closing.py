"""Objects that ``with`` closes."""

import pytest

from stallscope.closing import Closing


class Resource(Closing):
    closed = False

    def close(self) -> None:
        self.closed = True


def test_an_object_is_closed_at_the_end_and_after_an_error() -> None:
    with Resource() as resource:
        assert not resource.closed
    assert resource.closed
    failed = Resource()
    with pytest.raises(ValueError, match="x"), failed:
        raise ValueError("x")
    assert failed.closed
