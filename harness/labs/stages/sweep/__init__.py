"""`stallscope lab stages --footprint-sweep`: gain by code footprint and batch limit."""
