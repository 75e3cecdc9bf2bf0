"""`stallscope pack` and `stallscope unpack`: a recording as one archive."""
