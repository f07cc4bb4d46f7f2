"""What the pages say in words: facts of the run, notices, doubts, species."""
