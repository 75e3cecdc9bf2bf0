"""What the kernel traces of idle CPUs, and which timers wait on them."""
