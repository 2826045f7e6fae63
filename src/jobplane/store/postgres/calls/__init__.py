"""Each verb as a value: the statement that calls its function, and how its answer is read; sync and async run it."""
