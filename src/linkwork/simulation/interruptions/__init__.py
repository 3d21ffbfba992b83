"""What interrupts a run, and how it goes on: one file each."""
