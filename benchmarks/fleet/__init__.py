"""Time and memory of queries over a synthetic fleet."""
