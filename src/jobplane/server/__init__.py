"""The REST API: thin routes over `control`, one module for each noun."""
