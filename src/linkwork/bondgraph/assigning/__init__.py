"""Which end of each bond receives the effort, and why."""
