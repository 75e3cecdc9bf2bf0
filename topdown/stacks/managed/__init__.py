"""Frames of managed runtimes (V8, HotSpot) read beside the samples."""
