"""Speed side by side with peers: interleaved pairs, kept raw; docs/benchmarks.md is made of them."""
