"""The command `linkwork`: examples, check, run."""
