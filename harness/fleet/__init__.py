"""`stallscope fleet`: recordings of many hosts."""
