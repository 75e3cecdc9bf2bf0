"""Which data the loads of hot code touch: fields by type information, cache lines by address."""
