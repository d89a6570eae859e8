"""Drives: from command to joint torque."""
