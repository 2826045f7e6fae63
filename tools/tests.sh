#!/bin/sh
# tests.sh JOBS ARGUMENT...: run the tests that judge a figure by the clock one after the other, with the machine to themselves, then all others side by
# side in JOBS processes. A part of the suite may have none of either kind; one in which no test ran at all fails as pytest does, with 5.
set -u

jobs=$1
shift
code=5

run() {
    .venv/bin/python -m pytest "$@"
    case $? in
        0) [ $code -ne 5 ] || code=0 ;;
        5) ;;
        *) code=1 ;;
    esac
}

run -n 0 -m quiet "$@"
run -n "$jobs" -m "not quiet" "$@"
exit $code
