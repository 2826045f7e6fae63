"""The processes that run commands: a launcher, a keeper for each command, and the supervisor's side of both."""
