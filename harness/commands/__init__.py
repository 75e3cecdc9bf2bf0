"""One file per command: options, checked, then an engine, then a renderer."""
