#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a Point and a data frame with the same numbers give the same lines.
# Seen: influxdb-client 1.50.0: a Point cuts pandas' nanoseconds to microseconds, a frame keeps
#   them. A Point leaves infinity out, as NaN, and a point with nothing else is an empty line; a
#   frame writes `inf`, which the line protocol does not have. float32(0.1) is 0.1 from a Point, and
#   0.10000000149011612 from a frame. uint64 beyond 2^63 gets the suffix of signed integers in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  influxdb-client==1.50.0 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
from influxdb_client import Point
from influxdb_client.client.write.dataframe_serializer import data_frame_to_list_of_points
from influxdb_client.client.write_api import PointSettings

time = pd.Timestamp("2026-01-01T00:00:00.123456789")


def of_point(value):
    return Point("m").field("f", value).time(time).to_line_protocol()


def of_frame(value):
    frame = pd.DataFrame({"f": np.array([value])}, index=pd.DatetimeIndex([time]))
    return data_frame_to_list_of_points(frame, PointSettings(), data_frame_measurement_name="m")[0]


for value, point, frame in (
    (1.5, "1.5", "1.5"),
    (np.float32(0.1), "0.1", "0.10000000149011612"),
    (np.uint64(2**64 - 1), "18446744073709551615i", "18446744073709551615i"),
    (np.inf, None, "inf"),
):
    print(repr(value), "-> Point:", repr(of_point(value)), "frame:", repr(of_frame(value)))
    assert of_point(value) == (f"m f={point} 1767225600123456000" if point else ""), "changed"
    assert of_frame(value) == f"m f={frame} 1767225600123456789", "changed"
PY
echo "as recorded"
