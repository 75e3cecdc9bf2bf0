"""What a machine can measure: checks as data, over a machine that is live or recorded."""
