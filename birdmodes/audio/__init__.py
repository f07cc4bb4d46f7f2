"""Recordings on disk: found, read clip by clip, and told in words where they are damaged."""
