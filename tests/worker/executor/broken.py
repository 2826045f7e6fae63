"""A program that cannot be imported."""

raise SystemExit("no settings here")
