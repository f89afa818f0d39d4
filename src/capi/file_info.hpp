// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpact/numpact.h"
#include "numpact/pco.hpp"

namespace numpact::internal::capi {

inline numpact_file_info file_info(const FileHeader& header) {
  numpact_file_info info = {};
  info.type = header.number_type ? static_cast<numpact_type>(*header.number_type)
                                 : static_cast<numpact_type>(NUMPACT_NO_TYPE);
  info.standalone_version = static_cast<std::uint8_t>(header.standalone_version);
  info.format_major = static_cast<std::uint8_t>(header.format_major);
  info.format_minor = static_cast<std::uint8_t>(header.format_minor);
  info.header_size = static_cast<std::size_t>(header.size_bytes);
  info.count_hint = header.n_hint;
  return info;
}

}  // namespace numpact::internal::capi
