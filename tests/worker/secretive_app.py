"""A program whose handlers give secrets away."""

from __future__ import annotations

from jobplane import Jobplane
from tests.secretive import define

jp = Jobplane()
define(jp)
