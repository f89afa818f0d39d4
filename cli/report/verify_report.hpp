// SPDX-License-Identifier: Apache-2.0
// The output of `numpact verify --json` for each file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "failure.hpp"
#include "numpact/trailer.hpp"
#include "report/json_text.hpp"

namespace numpact::cli {

// An error message with the library's name of its kind.
struct VerifyError {
  std::string kind;
  std::string message;
};

// The result for one file, or for a path that is not a file.
struct VerifiedFile {
  std::string path;
  std::optional<std::string> column;  // of a folder
  // None if the file could not be scanned: it is unreadable or exceeds a limit.
  std::optional<Verification> found;
  std::uint64_t bytes = 0;  // of the whole file
  // Of a file of Arrow: "sound", "damaged", or "none" if the manifest has none.
  std::optional<std::string> checksums;
  std::optional<VerifyError> error;  // none: the file is intact
};

// The error for a Failure, which has no Status: the kind is derived from the exit code.
VerifyError error_of(const Failure& failure, const std::string& place);
VerifyError error_of(const Status& status);
// The first error of a file.
std::optional<VerifyError> error_of(const Verification& found);

Json verified_json(const VerifiedFile& file);

}  // namespace numpact::cli
