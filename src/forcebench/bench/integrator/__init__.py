"""Integrators: one file each, with a function of the same name that makes one physics step."""
