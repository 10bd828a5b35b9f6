"""`blake2b`, cheap to import."""

try:  # hashlib also loads OpenSSL, ten times the cost of this; a hook process pays it on every call
    from _blake2 import blake2b as blake2b
except ImportError:  # a build without the accelerator
    from hashlib import blake2b as blake2b
