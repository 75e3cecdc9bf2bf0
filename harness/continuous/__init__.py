"""Recording all the time within a budget: numbered recordings, rotated, optionally sent."""
