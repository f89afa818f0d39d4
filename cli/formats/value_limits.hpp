// SPDX-License-Identifier: Apache-2.0
// The user's limits on values, of all columns of a command together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "numpact/config.hpp"

namespace numpact::cli {

// How much of the decoded values becomes output.
enum class DecodeUse : std::uint8_t {
  kAll,   // every value, so that they count as output before they are decoded
  kSome,  // unknown: they are searched, or some rows are taken
};

// Counts the output, and compares what Arrow is about to allocate with the limits. The library
// compares the numbers of each column itself. All functions but the constructor are thread-safe and
// throw a Failure (kLimit) that names `place` and the option to raise.
class ValueLimits {
 public:
  // Bytes that a column may take while it is decoded for some of its rows, where --max-memory is
  // not given and --max-output is lower: a batch of 65,536 rows of usual text has less.
  static constexpr std::uint64_t kMinDecodeBytes = std::uint64_t{16} << 20;

  explicit ValueLimits(const DecodeLimits& limits = {})
      : max_output_(limits.max_output_bytes), max_memory_(limits.max_memory) {}
  ValueLimits(const ValueLimits&) = delete;
  ValueLimits& operator=(const ValueLimits&) = delete;

  bool is_set() const { return max_output_ != kNone || max_memory_ != kNone; }
  // To be called before a column takes `bytes` in all for decoded values.
  void check_memory(std::uint64_t bytes, DecodeUse use, const std::string& place) const;
  // To be called before dictionaries of a column are decoded, which stay until the end.
  void keep(std::uint64_t bytes, const std::string& place);
  void add_output(std::uint64_t bytes, const std::string& place);

  // Bytes that may still be written, and those that a column may take; none: no limit.
  std::optional<std::uint64_t> left() const;
  std::optional<std::uint64_t> max_memory() const;

 private:
  static constexpr std::uint64_t kNone = DecodeLimits::kUnlimited;

  std::uint64_t output_left() const { return max_output_ - std::min(max_output_, output_.load()); }

  std::uint64_t max_output_;
  std::uint64_t max_memory_;
  std::atomic<std::uint64_t> output_ = 0;
  std::atomic<std::uint64_t> kept_ = 0;  // dictionaries of all columns
};

using ValueLimitsRef = std::shared_ptr<ValueLimits>;

// a + b, or the maximum: sums of sizes that a file claims.
constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, ~a);
}

}  // namespace numpact::cli
