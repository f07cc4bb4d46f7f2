"""Pictures and sounds of the gallery, made in worker processes."""
