"""Hands: what a person does to the tool."""
