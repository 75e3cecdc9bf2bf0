"""`stallscope cstates latency`."""
