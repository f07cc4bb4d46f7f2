"""What is picked of a clustering to be exported, a column at a time."""
