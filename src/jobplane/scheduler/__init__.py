"""The scheduler: fires schedules, does the upkeep, and runs the jobs of jobplane itself."""
