"""What tasks do: readers of data, methods that take part, and rows of figures."""
