"""`stallscope waits --compare`: which state grew between two recordings."""
