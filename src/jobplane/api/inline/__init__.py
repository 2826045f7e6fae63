"""Run due jobs in the calling process."""
