"""Files: models as TOML, URDF and MJCF, results as NetCDF or CSV, comparisons as JSON or CSV, bond graphs as JSON."""
