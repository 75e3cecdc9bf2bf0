"""`stallscope fleet diff`: functions of two sets of recordings of many hosts."""
