"""What a new policy file begins with: every key, commented out, with a line about it."""

from __future__ import annotations

from typing import Final

HEAD: Final = """\
# The policy of a jobplane worker: the commands that this machine may run, and how.
# Only root and the worker's user may be able to change this file and the directories above it.
# `jobplane policy write` sets the hashes, `jobplane policy check` compares them. All else is yours to write.

# The user that commands run as; needed where the worker is root.
#user = "jobs"
# Variables that commands inherit from the worker. PATH is /usr/local/bin:/usr/bin:/bin unless it is named here.
#environment = ["LANG", "TZ"]
# The directory in which each attempt gets a working directory of its own.
#work_dir = "/var/lib/jobplane/work"
# Beginnings of the references to secrets that definitions and ctx.secret may name.
#secrets = ["env:APP_", "file:/run/secrets/"]
# The same for payloads, which tenants write; {tenant_id} is the tenant of the job.
#payload_secrets = ["file:/run/tenant-secrets/{tenant_id}/"]

# Limits of each process of a command. "none" in the table of a command lifts one.
#[limits]
# Address space; no limit by default.
#memory_bytes = 1073741824
# Processes of the user at a time, those of other commands included; no limit by default.
#processes = 100
# Open files.
#open_files = 1024
# CPU time; no limit by default.
#cpu_seconds = 3600
# The size of a file that it writes; no limit by default.
#file_bytes = 1073741824

# A table for each command. Its hash pins executable, argv, environment, stdin, exit codes, files and schema.
#[commands.example]
#hash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
# Another user, or another group than its main one.
#user = "jobs"
#group = "jobs"
# More variables to inherit, as a list of names; or variables with their values, as here.
#environment = {LANG = "C.UTF-8"}
# Another directory for working directories.
#work_dir = "/var/lib/jobplane/example"
# Seconds between TERM and KILL, 0 to 600.
#grace_seconds = 10
# Other limits.
#[commands.example.limits]
#memory_bytes = "none"
"""
