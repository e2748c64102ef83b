"""The version of this software, as it stands in every run's first record.

Responsible for: the one number.
Not responsible for: the distribution's metadata (a test keeps the two equal).
Source: CHANGELOG.md.
"""

from typing import Final

VERSION: Final = "0.5.0"
