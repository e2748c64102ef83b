"""The version of this software, stored in every run's first record.

Not: the distribution's metadata (a test keeps the two equal).
Source: CHANGELOG.md.
"""

from typing import Final

VERSION: Final = "0.9.0"
