"""`stallscope fleet waits`: where the threads of many hosts spend wall time."""
