"""What ./dev runs: stages with time limits, clang-tidy with a cache. Standard library only."""
