"""The Go benchmark format: reader, writer, units, filters and projections."""
