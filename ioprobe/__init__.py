"""What the disk can do."""
