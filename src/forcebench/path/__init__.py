"""Paths: what makes the goal from time, one per file."""
