"""The block layer below a path: mount, device stack, request queues and submission stalls."""
