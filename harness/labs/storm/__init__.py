"""storm."""
