"""`stallscope diff`: what differs between two recordings, beyond their noise."""
