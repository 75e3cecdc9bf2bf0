"""`stallscope io probe`: the latency of one read at a time."""
