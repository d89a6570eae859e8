"""Worlds: what the tool touches."""
