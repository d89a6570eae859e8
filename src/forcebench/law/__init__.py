"""Laws: what turns measured state and goal into a command, one per file."""
