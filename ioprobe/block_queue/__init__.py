"""block_queue."""
