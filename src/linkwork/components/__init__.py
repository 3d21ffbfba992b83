"""What exists: bodies, joints, laws, forces, contacts, other domains."""
