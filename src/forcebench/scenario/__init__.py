"""Scenarios: reading, overrides, expectations."""
