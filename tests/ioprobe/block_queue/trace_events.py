"""Tracepoint formats, and events in trace pages."""

from ioprobe.block_queue.stalls import (
    QueueOccupancy,
)

FULL, EMPTY = QueueOccupancy(8, 8), QueueOccupancy(256, 3)
