// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>

#include "utf8.hpp"

namespace numpact::cli {

Failure::Failure(ExitCode code, const std::string& place, const std::string& message)
    // what() is a C string, which a zero in a name would end.
    : std::runtime_error(one_line(place.empty() ? message : place + ": " + message)), code_(code) {}

ExitCode exit_code_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kNone:
      return ExitCode::kDone;
    case ErrorKind::kInvalidArgument:
      return ExitCode::kUsage;
    case ErrorKind::kCorrupt:
    case ErrorKind::kTruncated:
    case ErrorKind::kUnsupportedVersion:
    case ErrorKind::kChecksum:
      return ExitCode::kCorrupt;
    case ErrorKind::kLimitExceeded:
      return ExitCode::kLimit;
    default:
      return ExitCode::kFailure;
  }
}

void check(const Status& status, const std::string& place) {
  if (!status.ok()) throw Failure(exit_code_of(status.kind()), place, status.message());
}

void fail_errno(const std::string& place, std::string_view message) {
  const std::string reason = std::generic_category().message(errno);
  throw Failure(ExitCode::kFailure, place,
                message.empty() ? reason : fmt::format("{}: {}", message, reason));
}

void fail_usage(const std::string& place, const std::string& message) {
  throw Failure(ExitCode::kUsage, place, message);
}

std::string column_place(const std::string& file, const std::string& column) {
  return fmt::format("{}: column '{}'", file, column);
}

std::string one_line(std::string_view text) {
  std::string line;
  std::optional<std::size_t> bad = first_not_utf8(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '\n') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7f || bad == i) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += text[i];
    }
    if (bad != i) continue;
    bad = first_not_utf8(text.substr(i + 1));
    if (bad) *bad += i + 1;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void say(std::string_view text) {
  const std::string line = fmt::format("numpact: {}\n", one_line(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace numpact::cli
