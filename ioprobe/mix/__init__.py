"""Reads and writes at fixed rates, as a matrix of loads and a table of request sizes."""
