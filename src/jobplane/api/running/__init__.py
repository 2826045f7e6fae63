"""From a lease to its settlement: what every runner of handlers shares, and two that run them in place."""
