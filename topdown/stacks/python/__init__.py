"""Python frames read beside the samples."""
