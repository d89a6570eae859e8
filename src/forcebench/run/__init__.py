"""One recorded result: channels with units, metrics, files."""
