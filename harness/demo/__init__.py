"""`./dev demo`: the reference server, its sleep states and a disk, with one index page."""
