"""PostgreSQL without an installation: a launcher for the programs of a wheel, or of any bin directory."""

from jobplane.embedded.binaries import Binaries, find_binaries
from jobplane.embedded.errors import EmbeddedError, EmbeddedVersion, NoBinaries, UnsafeDirectory
from jobplane.embedded.location import default_data_dir, parse_embedded_url
from jobplane.embedded.server import EmbeddedServer

__all__ = [
    "Binaries",
    "EmbeddedError",
    "EmbeddedServer",
    "EmbeddedVersion",
    "NoBinaries",
    "UnsafeDirectory",
    "default_data_dir",
    "find_binaries",
    "parse_embedded_url",
]
