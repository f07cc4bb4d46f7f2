"""Rows in blocks, and who works on them, so that millions of rows need little memory."""
