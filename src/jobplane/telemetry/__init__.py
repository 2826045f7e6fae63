"""What the processes say about themselves."""
