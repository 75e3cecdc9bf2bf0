"""`stallscope data`."""
