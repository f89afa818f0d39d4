// SPDX-License-Identifier: Apache-2.0
// How the program fails: an exit code, a place (file, column) and one line of words.
#ifndef NUMPACT_CLI_FAILURE_HPP
#define NUMPACT_CLI_FAILURE_HPP

#include <stdexcept>
#include <string>
#include <string_view>

#include "numpact/error.hpp"

namespace numpact::cli {

enum class ExitCode : int {
  kDone = 0,
  kFailure = 1,
  kUsage = 2,
  kCorrupt = 3,  // the input is corrupt, truncated or of an unsupported version
  kLimit = 4,    // one of the caller's limits was hit
};

class Failure : public std::runtime_error {
 public:
  // `place` may be empty.
  Failure(ExitCode code, const std::string& place, const std::string& message);
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// The reader of standard output has gone: nothing more to do and nothing to say.
class OutputGone {};

ExitCode exit_code_of(ErrorKind kind) noexcept;

// Throws the Failure that fits an error of the library.
void check(const Status& status, const std::string& place);

// "FILE: MESSAGE: what errno says".
[[noreturn]] void fail_errno(const std::string& place, std::string_view message);
[[noreturn]] void fail_usage(const std::string& place, const std::string& message);

// "FILE: column 'NAME'".
std::string column_place(const std::string& file, const std::string& column);

// What a message on nulls ends with.
inline constexpr const char* kNullAdvice =
    " (a folder keeps them: -o FOLDER; --nulls drop leaves them out)";

// The text with control characters and bytes that are not UTF-8 made visible, so that it stays one
// line that terminals and programs can read.
std::string one_line(std::string_view text);

// Prints "numpact: TEXT" on standard error.
void say(std::string_view text);

}  // namespace numpact::cli

#endif
