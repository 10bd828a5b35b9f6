"""The former name of `hardwon.integrations`, for one more release."""

import warnings

from hardwon import integrations

warnings.warn(
    "hardwon.adapters is now hardwon.integrations; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
__path__ = integrations.__path__  # its modules are found under the old name too
