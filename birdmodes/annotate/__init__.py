"""Species of the syllables and recordings that nobody has labelled, from those somebody has."""
