"""`stallscope bench scale`: throughput by thread or connection count, its models and laws."""
