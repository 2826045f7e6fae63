"""Other queues, each driven at its best."""
