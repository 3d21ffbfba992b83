"""What touches: outlines, springy and rigid contact, friction, rolling, tyres."""
