"""The reference server and the loader as child processes, and the CPUs they run on."""
