"""`stallscope io`: what is asked of the disk, and what is said of the answers."""
