"""An executor: a process that runs handlers and nothing else.

It knows no lease and, but for what a handler does, no database. It may die at any moment: everything that matters is
held by the supervisor, which feeds it over one socket pair (worker/frames.py).
"""
