"""The reference server and the loader: running both, and what a run of the loader found."""
