// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "signature/file_format.hpp"

namespace numpact::cli {

Failure::Failure(ExitCode code, const std::string& place, const std::string& message)
    // one_line() escapes zero bytes of names, which would end the C string of what().
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

std::string message_of(const Status& status) {
  if (status.kind() == ErrorKind::kTimedOut) {
    return "is being written by another process (--lock-timeout)";
  }
  return with_option_names(status.message());
}

bool is_other_format(const Status& status) {
  return std::string_view(status.what()).starts_with(internal::signature::kOtherFormat);
}

std::string with_option_names(std::string message) {
  // Library settings and the options that set them. The library writes the names as whole words.
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"max_output_bytes", "--max-output"},
      {"max_memory", "--max-memory"},
      {"chunk_rows", "--chunk-rows"},
      {"allow_nonfinite", "--allow-nonfinite"},
      {"on_corruption", "--on-corruption"}};
  for (const auto& [name, option] : kNames) {
    const std::size_t at = message.find(name);
    if (at != std::string::npos) message.replace(at, name.size(), option);
  }
  return message;
}

void check(const Status& status, const std::string& place) {
  if (!status.ok()) throw Failure(exit_code_of(status.kind()), place, message_of(status));
}

void fail(const std::string& place, const std::string& message) {
  throw Failure(ExitCode::kFailure, place, message);
}

void fail_corrupt(const std::string& place, const std::string& message) {
  throw Failure(ExitCode::kCorrupt, place, message);
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

void print_message(std::string_view text) {
  const std::string line = fmt::format("numpact: {}\n", one_line(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace numpact::cli
