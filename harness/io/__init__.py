"""`stallscope io`: measurements of disks and their queues."""
