"""The truth about syllables, where somebody has drawn it, and how well modes agree with it."""
