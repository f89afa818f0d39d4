// SPDX-License-Identifier: Apache-2.0
// Names of options of CVC files. Unknown names are errors that list the known ones.
#pragma once

#include <string_view>

#include "numpact/cvc.hpp"

namespace numpact::python {

cvc::Compression compression_of(std::string_view name);
cvc::Rounding rounding_of(std::string_view name);
cvc::Version version_of(std::string_view name);
cvc::OnCorruption on_corruption_of(std::string_view name);

}  // namespace numpact::python
