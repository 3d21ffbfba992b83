"""What a run is made of where the user leaves it open: formulation, solver, independent speeds, softness of joints."""
