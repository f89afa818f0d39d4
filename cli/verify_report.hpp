// SPDX-License-Identifier: Apache-2.0
// What `numpact verify --json` says of each file.
#ifndef NUMPACT_CLI_VERIFY_REPORT_HPP
#define NUMPACT_CLI_VERIFY_REPORT_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "failure.hpp"
#include "json_text.hpp"
#include "numpact/trailer.hpp"

namespace numpact::cli {

// An error in words, with its kind as the library names it.
struct VerifyError {
  std::string kind;
  std::string message;
};

// One file, or a path that is none.
struct VerifiedFile {
  std::string path;
  std::optional<std::string> column;  // of a folder
  // None where the file could not be looked through: it cannot be read, or passes a limit.
  std::optional<Verification> found;
  std::uint64_t bytes = 0;           // of the whole file
  std::optional<VerifyError> error;  // none: all is sound
};

// The words for a Failure that has no Status: the kind is told by the exit code.
VerifyError error_of(const Failure& failure, const std::string& place);
VerifyError error_of(const Status& status);
// The first thing that is wrong with a file.
std::optional<VerifyError> error_of(const Verification& found);

Json verified_json(const VerifiedFile& file);

}  // namespace numpact::cli

#endif
