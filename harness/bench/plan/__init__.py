"""What a benchmark runs: commands, and the servers and clients of a bench.toml."""
