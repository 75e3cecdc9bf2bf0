"""`stallscope fleet record`: recordings of many hosts over ssh."""
