"""Senses: what a law may know of the true state."""
