"""`stallscope load --rates`: latency by rate, and why it falls as the rate rises."""
