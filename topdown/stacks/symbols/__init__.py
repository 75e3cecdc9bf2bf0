"""Names of addresses: binaries, symbol tables, caches, source lines."""
