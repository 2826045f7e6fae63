"""The HTTP client of all commands: to a server, or to one that runs inside this process."""
