// SPDX-License-Identifier: Apache-2.0
#include "formats/value_limits.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace numpact::cli {
namespace {

[[noreturn]] void fail_limit(std::uint64_t bytes, const char* option, std::uint64_t limit,
                             const std::string& place) {
  throw Failure(ExitCode::kLimit, place,
                fmt::format("limit exceeded: its values take {} bytes, more than {} {}: raise {}",
                            bytes, option, limit, option));
}

}  // namespace

void ValueLimits::check_memory(std::uint64_t bytes, DecodeUse use, const std::string& place) const {
  if (bytes > max_memory_) fail_limit(bytes, "--max-memory", max_memory_, place);
  if (use == DecodeUse::kSome && max_memory_ != kNone) return;
  if (saturated_sum(bytes, kept_) > std::max(output_left(), kMinDecodeBytes)) {
    fail_limit(bytes, "--max-output", max_output_, place);
  }
}

void ValueLimits::keep(std::uint64_t bytes, const std::string& place) {
  check_memory(bytes, DecodeUse::kAll, place);
  kept_ += bytes;
}

void ValueLimits::add_output(std::uint64_t bytes, const std::string& place) {
  // Of two threads that pass the limit together, at least one sees it.
  const std::uint64_t before = output_.fetch_add(bytes);
  if (saturated_sum(before, bytes) <= max_output_) return;
  throw Failure(ExitCode::kLimit, place,
                fmt::format("limit exceeded: more than --max-output {} with its values: raise "
                            "--max-output",
                            max_output_));
}

std::optional<std::uint64_t> ValueLimits::left() const {
  return max_output_ == kNone ? std::nullopt : std::optional(output_left());
}

std::optional<std::uint64_t> ValueLimits::max_memory() const {
  return max_memory_ == kNone ? std::nullopt : std::optional(max_memory_);
}

}  // namespace numpact::cli
