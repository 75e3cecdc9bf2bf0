"""The Parquet data set of the recordings of many hosts."""
