"""An executor: a process that runs handlers and nothing else.

It has no leases, and no database except in the handlers. It may die at any moment: the supervisor keeps all state that
matters, and sends it jobs over a socket pair (worker/frames.py).
"""
