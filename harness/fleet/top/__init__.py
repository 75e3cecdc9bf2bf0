"""`stallscope fleet top`: the hottest functions of many hosts."""
