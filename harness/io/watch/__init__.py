"""`stallscope io watch`: latency of the block requests of the running system."""
