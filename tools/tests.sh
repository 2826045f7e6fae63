#!/bin/sh
# tests.sh JOBS ARGUMENT...: run the tests that judge a figure by the clock two at a time, then all others side by side in JOBS processes. Two of the
# first kind have a core each, and wait most of the time; faults in full or slow are larger, and run one by one. A process takes tests that follow each
# other, so that they share a stage. A part of the suite may have none of either kind; one in which no test ran at all fails as pytest does, with 5.
# Where JOBPLANE_TEST_FLAKY names a file, tests that fail side by side run once more, alone in a new process. Those that pass there are added to the
# file as flaky, and are no failure. More than ten failures are no accident, and are not tried again.
# JOBPLANE_TEST_PYTHON is the interpreter of another environment than .venv.
set -u

jobs=$1
shift
code=5
most=10
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT

pytest() {
    : >"$failed"
    JOBPLANE_TEST_FAILED=$failed "${JOBPLANE_TEST_PYTHON:-.venv/bin/python}" -m pytest "$@"
}

note() {
    case $1 in
        0) [ $code -ne 5 ] || code=0 ;;
        5) ;;
        *) code=1 ;;
    esac
}

pass_alone() {
    count=$(wc -l <"$failed")
    [ -n "${JOBPLANE_TEST_FLAKY:-}" ] && [ "$count" -gt 0 ] && [ "$count" -le $most ] || return 1
    printf '\n== once more, alone: %s\n' "$count failed beside others"
    again=$(mktemp)
    cp "$failed" "$again"
    JOBPLANE_TEST_BUDGETS='' pytest -n 0 "@$again"
    ended=$?
    [ $ended -ne 0 ] || sed 's/^/FLAKY /' "$again" | tee -a "$JOBPLANE_TEST_FLAKY"
    rm -f "$again"
    return $ended
}

at_once=2
if [ "$jobs" -lt 2 ] || [ -n "${JOBPLANE_TEST_FAULTS:-}" ]; then at_once=0; fi
for part in "$at_once quiet" "$jobs not quiet"; do
    pytest -n "${part%% *}" --dist worksteal -m "${part#* }" "$@"
    ended=$?
    if [ $ended -eq 1 ] && [ "$part" != "0 quiet" ] && pass_alone; then ended=0; fi  # those ran alone already
    note $ended
done
exit $code
