"""Methods that group whole bags (recordings), mostly without their labels."""
