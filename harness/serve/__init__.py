"""`stallscope serve`: the reference server in the foreground."""
