#!/bin/sh
# venv.sh DIR LOCK...: makes DIR a virtual environment with exactly what the last LOCK pins, and this project in it, editable. The last LOCK has all
# that the others have: an environment that was made from one of them is added to, not made again. One that has more than it must stays as it is.
# Does nothing when nothing changed. PYTHON names the interpreter, MEGABYTES says how large DIR becomes.
set -eu

dir=$1
shift
for lock; do :; done
python=${PYTHON:-python3}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 UV_PYTHON_DOWNLOADS=never

refuse_old_python() {
    found=$("$python" -c 'import sys; print(".".join(map(str, sys.version_info[:3])))') || found="not a Python"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
    echo "jobplane needs Python 3.11 or newer, and $python is $found: say which one with PYTHON=/path/to/python3" >&2
    exit 1
}

# Debian's python3 without python3-venv fails halfway and leaves a directory; uv makes the same from the pinned wheel.
make_venv() {
    "$python" -m venv --clear "$dir" >/dev/null 2>&1 && return
    echo "$python cannot make a virtual environment, so uv does"
    rm -rf "$dir"
    mkdir -p .tools
    awk '/^[a-z]/ { wanted = /^uv==/ } wanted' requirements-dev.lock >.tools/uv.lock
    "$python" -m pip install -qq --require-hashes --upgrade --target .tools/uv -r .tools/uv.lock
    PYTHONPATH=.tools/uv "$python" -m uv venv --quiet --python "$("$python" -c 'import sys; print(sys.executable)')" "$dir"
}

# An environment that uv made has no pip: the interpreter's own installs into it, and so pip's settings hold in both cases.
install() {
    if "$dir/bin/python" -m pip --version >/dev/null 2>&1; then
        "$dir/bin/python" -m pip install -qq "$@"
    else
        "$python" -m pip --python "$dir/bin/python" install -qq "$@"
    fi
}

# What DIR was made from: the interpreter and the place, then a line for each lock.
pins() {
    echo "$("$python" -V) in $(pwd -P)"
    for name; do echo "$name $(cksum <"$name")"; done
}

# Whether DIR has only what still holds: an interpreter or a lock that changed is no ground to build on.
is_sound() {
    [ "$(head -n 1 "$dir/.pins" 2>/dev/null)" = "$(pins)" ] || return 1
    for name; do
        ! grep -q "^$name " "$dir/.pins" || grep -qxF "$name $(cksum <"$name")" "$dir/.pins" || return 1
    done
}

refuse_old_python
project=$(cksum <pyproject.toml)
is_sound "$@" || rm -f "$dir/.pins"

if ! grep -qsxF "$lock $(cksum <"$lock")" "$dir/.pins"; then
    echo "Installing jobplane and $(grep -c == "$lock") packages into $dir, about $MEGABYTES MB. This takes a minute…"
    [ -e "$dir/.pins" ] || make_venv
    install --require-hashes --no-deps -r "$lock" # it has them all, and pip would look at versions that came later
    pins "$@" >"$dir/.pins"
fi
if [ "$(cat "$dir/.project" 2>/dev/null)" != "$project" ]; then
    install --no-deps --no-build-isolation --editable .
    echo "$project" >"$dir/.project"
fi
