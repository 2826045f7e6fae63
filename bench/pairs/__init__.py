"""Two checkouts of this repository, measured in pairs: `python -m bench --before PATH`."""
