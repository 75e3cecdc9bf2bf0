"""`stallscope load`: a RESP server under load, and its latency."""
