"""Motions that are given: kinematics without dynamics, and the efforts a motion needs."""
