"""What every part shares: contracts, declarations and the catalogue."""
