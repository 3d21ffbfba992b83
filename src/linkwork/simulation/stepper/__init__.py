"""A model step by step: `course` is the run in progress, `values` what of it may change, `stepper` what a user has."""
