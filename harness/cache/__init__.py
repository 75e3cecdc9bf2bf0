"""`stallscope cache`: data derived from binaries and kept for later profiles."""
