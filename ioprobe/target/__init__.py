"""Targets of a measurement: files, directories, block devices and simulated disks."""
