"""Captures, symbols, folding and flame layout."""
