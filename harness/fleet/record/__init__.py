"""`stallscope fleet record`: recordings on many hosts, over ssh."""
