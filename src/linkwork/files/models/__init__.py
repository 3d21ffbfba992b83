"""Model files (.toml): everything a model holds, as data and expressions."""
