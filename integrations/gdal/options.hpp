// SPDX-License-Identifier: Apache-2.0
// The options of the compressor: those of the codec "pcodec" of numcodecs, and the type.
#pragma once

#include <cpl_port.h>

#include <cstddef>
#include <string>

#include "numpact/numpact.h"

struct Settings {
  numpact_type type = NUMPACT_NO_TYPE;
  unsigned level = NUMPACT_DEFAULT_LEVEL;
  std::size_t max_page_count = 0;  // 0: chosen by the encoder
  std::string delta = "auto";      // as numpact_encode_options takes it
  const char* mode = "auto";
};

// Reads the options that GDAL passes, for input of `input_size` bytes. GDAL's Zarr driver passes
// the members of the JSON object of the array's compressor, and not the type of the array.
// False, after CPLError: an option has a wrong value, or the type is not specified.
bool read_settings(CSLConstList options, std::size_t input_size, Settings& settings);
