// SPDX-License-Identifier: Apache-2.0
// How the program fails: an exit code, a place (file, column) and a message of one line.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "numpact/error.hpp"
#include "text/printable.hpp"

namespace numpact::internal::platform {}

namespace numpact::cli {

namespace platform = internal::platform;

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

// The reader of standard output has closed it. The program ends without a message.
class OutputClosed {};

ExitCode exit_code_of(ErrorKind kind) noexcept;

// The message of a library error. Names of library settings become the options that set them.
std::string message_of(const Status& status);
std::string with_option_names(std::string message);

// Whether the error says that the file is an intact one of another format.
bool is_other_format(const Status& status);

// Throws a Failure for an error of the library.
void check(const Status& status, const std::string& place);

// Throw a Failure: kFailure, kCorrupt or kUsage. A message may be one of fmt, with its values.
[[noreturn]] void fail(const std::string& place, const std::string& message);
[[noreturn]] void fail_corrupt(const std::string& place, const std::string& message);
[[noreturn]] void fail_usage(const std::string& place, const std::string& message);
// Fails with "FILE: MESSAGE: text of errno".
[[noreturn]] void fail_errno(const std::string& place, std::string_view message);

template <class First, class... Rest>
[[noreturn]] void fail(const std::string& place, fmt::format_string<First, Rest...> text,
                       First&& first, Rest&&... rest) {
  fail(place, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}
template <class First, class... Rest>
[[noreturn]] void fail_corrupt(const std::string& place, fmt::format_string<First, Rest...> text,
                               First&& first, Rest&&... rest) {
  fail_corrupt(place, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}
template <class First, class... Rest>
[[noreturn]] void fail_usage(const std::string& place, fmt::format_string<First, Rest...> text,
                             First&& first, Rest&&... rest) {
  fail_usage(place, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}

// "FILE: column 'NAME'".
std::string column_place(const std::string& file, const std::string& column);

// Ends messages about nulls.
inline constexpr const char* kNullAdvice =
    " (a folder keeps them: -o FOLDER; --nulls drop leaves them out)";

// Prints "numpact: TEXT" on standard error.
void print_message(std::string_view text);
template <class First, class... Rest>
void print_message(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
  const std::string made =
      fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...);
  print_message(std::string_view(made));
}

}  // namespace numpact::cli
