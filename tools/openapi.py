"""Prints the OpenAPI document of the REST API: `python -m tools.openapi`. The types of the web UI are made from it."""

from __future__ import annotations

import json
import sys

from tools.rest import document

if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1)
