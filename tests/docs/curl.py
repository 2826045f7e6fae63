"""As much of curl as the pages use, for machines that have none: `python -m tests.docs.curl URL -H … -d … -X …`."""

from __future__ import annotations

import argparse
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-s", action="store_true")
    parser.add_argument("-X", dest="method")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="data")
    given = parser.parse_args()
    headers = dict(header.split(": ", 1) for header in given.headers)
    data = None if given.data is None else given.data.encode()
    request = Request(given.url, data, headers, method=given.method)
    try:
        with urlopen(request, timeout=30) as answer:
            sys.stdout.write(answer.read().decode())
    except HTTPError as error:
        sys.stdout.write(error.read().decode())


if __name__ == "__main__":
    main()
