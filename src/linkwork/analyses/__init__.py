"""What can be done with a model besides running it: check, kinematics, linearize, compare, …

What takes one module is one here; what takes several is a folder.
"""
