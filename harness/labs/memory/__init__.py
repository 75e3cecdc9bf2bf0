"""`stallscope lab memory`: the latency of caches and memory."""
