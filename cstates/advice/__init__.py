"""What sleeps cost, and what to change so that wake-ups cost less."""
