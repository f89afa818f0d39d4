// SPDX-License-Identifier: Apache-2.0
#include "cvc_names.hpp"

#include <optional>
#include <string>

#include "errors.hpp"

namespace numpact::python {
namespace {

[[noreturn]] void raise_unknown(const char* what, std::string_view name, const std::string& known) {
  raise_error(ErrorKind::kInvalidArgument,
              std::string("unknown ") + what + " '" + std::string(name) + "': " + known);
}

}  // namespace

cvc::Compression compression_of(std::string_view name) {
  const std::optional<cvc::Compression> found = cvc::compression_of_name(name);
  if (found) return *found;
  std::string known;
  for (const cvc::Compression each : cvc::kCompressions) {
    known += (known.empty() ? "" : ", ") + std::string(name_of(each));
  }
  raise_unknown("compression", name, known);
}

cvc::Rounding rounding_of(std::string_view name) {
  if (name == "auto") return cvc::Rounding::kAutomatic;
  if (name == "search") return cvc::Rounding::kForSearch;
  if (name == "nearest") return cvc::Rounding::kNearest;
  raise_unknown("rounding", name, "auto, search or nearest");
}

cvc::Version version_of(std::string_view name) {
  if (name == "0.1") return cvc::Version::kV01;
  if (name == "1.0") return cvc::Version::kV10;
  if (name == "2.0") return cvc::Version::kV20;
  raise_unknown("version", name, "0.1, 1.0 or 2.0");
}

cvc::OnCorruption on_corruption_of(std::string_view name) {
  if (name == "raise") return cvc::OnCorruption::kRaise;
  if (name == "fill") return cvc::OnCorruption::kFill;
  if (name == "drop") return cvc::OnCorruption::kDrop;
  raise_unknown("on_corruption", name, "raise, fill or drop");
}

}  // namespace numpact::python
