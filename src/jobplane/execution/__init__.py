"""What runs a job, wherever it runs: the handler and its context, its log lines and how its attempt ends."""
