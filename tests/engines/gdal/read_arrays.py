# SPDX-License-Identifier: Apache-2.0
"""Run by Debian's Python: reads Zarr arrays with GDAL and writes them as NPY files.

read_arrays.py FOLDER: each FOLDER/NAME.zarr becomes FOLDER/NAME.npy, or FOLDER/NAME.error with
GDAL's message. FOLDER/NAME.json has what GDAL says of the array.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from osgeo import gdal


def read(path: Path) -> None:
    gdal.ErrorReset()
    data = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    if data is None:
        raise RuntimeError(gdal.GetLastErrorMsg())
    group = data.GetRootGroup()
    array = group.OpenMDArray(group.GetMDArrayNames()[0])
    messages: list[str] = []
    gdal.PushErrorHandler(lambda level, number, message: messages.append(message))
    numbers = array.ReadAsArray()
    gdal.PopErrorHandler()
    # GDAL 3.6 returns an array, of any content, where reading failed.
    if numbers is None or gdal.GetLastErrorType() >= gdal.CE_Failure:
        raise RuntimeError("; ".join(messages))
    np.save(path.with_suffix(".npy"), numbers)
    facts = {
        "type": gdal.GetDataTypeName(array.GetDataType().GetNumericDataType()),
        "fill": array.GetNoDataValueAsDouble(),
        "block": list(array.GetBlockSize()),
    }
    path.with_suffix(".json").write_text(json.dumps(facts))


def main() -> None:
    gdal.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    for path in sorted(Path(sys.argv[1]).glob("*.zarr")):
        try:
            read(path)
        except RuntimeError as error:
            path.with_suffix(".error").write_text(str(error) or "no message")


main()
