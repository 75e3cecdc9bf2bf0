"""What users install: wheels, source distribution, collector, Debian packages, image."""
