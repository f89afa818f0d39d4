// SPDX-License-Identifier: Apache-2.0
// A progress line on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace numpact::cli {

// Shown only if standard error is a terminal and the work takes longer than a second. The
// destructor erases it.
class ProgressBar {
 public:
  // `total`: the number of numbers, if known.
  ProgressBar(const std::string& label, std::optional<std::uint64_t> total, bool requested);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Reports `numbers` more numbers, which have `bytes` bytes.
  void add(std::uint64_t numbers, std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double seconds);

  std::string label_;
  std::optional<std::uint64_t> total_;
  bool requested_;
  bool drawn_ = false;
  std::uint64_t numbers_ = 0;
  std::uint64_t bytes_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
};

}  // namespace numpact::cli
