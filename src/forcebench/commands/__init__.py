"""The commands, one file each: they translate and delegate."""
