"""Response curves: throughput and latency by queue depth, and the depth to choose."""
