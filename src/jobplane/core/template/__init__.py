"""Payload templates: JSON with `{{ path | filter }}` in its texts. Jinja parses them, and evaluates nothing."""

from __future__ import annotations

from jobplane.core.template.template import Template

__all__ = ["Template"]
