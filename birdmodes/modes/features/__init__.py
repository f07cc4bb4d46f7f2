"""What syllables are described by when they are clustered: named sets of features."""
