#!/bin/sh
# test-all.sh PG_15_BIN: run every lane in full. A lane that fails does not keep the next from running; at the end it says which did.
set -u

pg_15_bin=$1
left_out=
failed=

lane() {
    printf '\n== make %s\n' "$*"
    "$MAKE" --no-print-directory "$@" || failed="$failed
  make $*"
}

leave_out() {
    left_out="$left_out
  make $1"
}

lane test
lane test-faults
lane test-rest
lane test-deep
lane test-stdlib
lane test-lowest
lane test-16
if [ -x "$pg_15_bin/postgres" ]; then
    lane test-pg PG_BIN="$pg_15_bin"
else
    leave_out "test-pg PG_BIN=$pg_15_bin: there is no PostgreSQL 15, name another bin with PG_15_BIN="
fi
if PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null; then
    lane test-pooler
else
    leave_out "test-pooler: pgbouncer is not installed"
fi

[ -z "$left_out" ] || printf '\n== left out:%s\n' "$left_out"
[ -z "$failed" ] || { printf '\n== failed:%s\n' "$failed"; exit 1; }
