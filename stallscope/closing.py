"""A context manager that closes its object."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """The base of objects that ``with`` closes."""

    __slots__ = ()

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it, also after an error."""
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Release what the object holds."""
