"""`stallscope fleet latency`: merged histograms of many hosts."""
