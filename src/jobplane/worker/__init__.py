"""The worker: a supervisor that runs no handler, and the processes that do."""
