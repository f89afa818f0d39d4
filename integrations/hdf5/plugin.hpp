// SPDX-License-Identifier: Apache-2.0
// The filter's id, and the plug-in's functions.
#pragma once

#define NUMPACT_HDF5_EXPORT __attribute__((visibility("default")))

namespace numpact_hdf5 {

// Assigned by The HDF Group (512 to 32767), or private (32768 to 65535). Set by the build.
constexpr int kFilterId = NUMPACT_HDF5_FILTER_ID;
static_assert(kFilterId > 255 && kFilterId < 65535,
              "ids up to 255 are HDF5's own, and netCDF refuses 65535");

}  // namespace numpact_hdf5

extern "C" {
// The entry points of HDF5 and netCDF.
NUMPACT_HDF5_EXPORT int H5PLget_plugin_type();
NUMPACT_HDF5_EXPORT const void* H5PLget_plugin_info();
NUMPACT_HDF5_EXPORT const void* NCZ_get_codec_info();
}
