"""The part of a trigger that this process fires: its descriptor."""

import os
import select
from dataclasses import dataclass, field


@dataclass(slots=True)
class EventTrigger:
    """A descriptor that ``fire`` makes ready, also from a signal handler."""

    descriptor: int | None = field(default=None, init=False)
    ready_event: int = field(default=select.POLLIN, init=False)
    interval_s: float | None = field(default=None, init=False)

    def open(self) -> None:
        """Create the descriptor."""
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def fire(self) -> None:
        """Make the descriptor ready, if it is open."""
        if self.descriptor is not None:
            os.eventfd_write(self.descriptor, 1)

    def has_fired(self) -> bool:
        """Return whether the descriptor is ready; it no longer is then."""
        assert self.descriptor is not None
        try:
            os.eventfd_read(self.descriptor)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Close the descriptor."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
