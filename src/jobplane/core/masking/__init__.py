"""Replace secrets by `***` in texts, in JSON and in streams of bytes, also where they are encoded.

Needs nothing but the standard library: the process of every command imports it.
"""

from jobplane.core.masking.headers import MASK, mask_headers
from jobplane.core.masking.masker import NO_SECRETS, Masker
from jobplane.core.masking.streams import StreamMasker

__all__ = ["MASK", "NO_SECRETS", "Masker", "StreamMasker", "mask_headers"]
