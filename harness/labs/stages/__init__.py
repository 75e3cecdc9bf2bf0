"""`stallscope lab stages`: what execution stages gain on the reference server."""
