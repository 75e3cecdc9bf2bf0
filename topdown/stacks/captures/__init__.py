"""Events of a capture and what was counted with its samples."""
