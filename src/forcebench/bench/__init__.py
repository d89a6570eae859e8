"""The loop that joins all parts, its integrators and its state."""
