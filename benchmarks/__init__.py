"""Speed side by side with peers, in interleaved pairs; docs/benchmarks.md is made of them."""
