# SPDX-License-Identifier: Apache-2.0
"""``python -m numpact``: the command."""

from ._command import main

if __name__ == "__main__":
    main()
