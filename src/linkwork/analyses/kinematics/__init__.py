"""Motions that are given: positions, speeds and accelerations without dynamics."""
