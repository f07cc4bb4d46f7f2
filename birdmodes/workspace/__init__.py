"""What is on disk: recordings, syllables and bags, written so that a kill loses nothing."""
