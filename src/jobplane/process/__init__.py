"""What every daemon needs: loops, contact with the database, health, a patient start, signals, events in the log."""
