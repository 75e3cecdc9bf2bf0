"""Generated machines to pin."""

from tests.cstates.pinning.conftest import fake

__all__ = ["fake"]
