"""Generator of CPU model files from vendors' published tables."""
