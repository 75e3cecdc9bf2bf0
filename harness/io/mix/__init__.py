"""`stallscope io mix`: throughput and latency of reads and writes together."""
