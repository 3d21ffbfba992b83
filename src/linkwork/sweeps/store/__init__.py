"""Where outcomes go: into the memory, or into a Zarr folder, from which a sweep can be taken up again."""
