"""What `jobplane up` does: the database, its logins, the first key, and the processes that run on it."""
