"""The metrics of each kind of recording."""
