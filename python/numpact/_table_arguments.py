# SPDX-License-Identifier: Apache-2.0
"""Types of arguments that functions of tables and what does their work share."""

from __future__ import annotations

import os
from typing import Literal, Union

Path = Union[str, "os.PathLike[str]"]
#: The treatment of columns that Pco cannot hold.
Others = Literal["keep", "drop", "error"]
#: How the columns of rows that are appended may differ from those of the folder.
Schema = Literal["same", "extend"]
