"""`stallscope lab scale`: throughput by connections and by server threads."""
