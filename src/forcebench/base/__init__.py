"""What the arm stands on."""
