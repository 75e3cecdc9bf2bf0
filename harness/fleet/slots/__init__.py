"""`stallscope fleet slots`: pipeline slots of many hosts."""
