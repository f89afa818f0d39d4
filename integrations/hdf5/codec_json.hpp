// SPDX-License-Identifier: Apache-2.0
// The settings of the codec "pcodec" in the metadata of Zarr v2 arrays:
// {"id": "pcodec", "level": 8, "mode_spec": "auto", "delta_spec": "auto",
//  "paging_spec": "equal_pages_up_to", "delta_encoding_order": null, "equal_pages_up_to": 262144}
#pragma once

#include <array>
#include <string_view>

#include "parameters.hpp"

namespace numpact_hdf5 {

// Reads the user's parameters. Settings that are left out have their defaults, and names that are
// not known are ignored. Whether the text is such an object with settings that exist.
bool parse_codec(std::string_view json, Parameters& parameters);

// The object as text, with all settings.
using CodecText = std::array<char, 256>;
void write_codec(const Parameters& parameters, CodecText& text);

}  // namespace numpact_hdf5
