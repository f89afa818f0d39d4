// SPDX-License-Identifier: Apache-2.0
// A progress line on standard error: file and column, share, rate and time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace numpact::cli {

// Shown only if standard error is a terminal, the work takes longer than a second, and no other bar
// is shown. The destructor erases it.
class ProgressBar {
 public:
  // `place`: the file, and the column if there is one. `total`: the number of numbers, if known.
  ProgressBar(const std::string& place, std::optional<std::uint64_t> total, bool requested);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Reports `numbers` more numbers, which have `bytes` bytes.
  void add(std::uint64_t numbers, std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double seconds);
  // The share that is done and the time left; empty if the total is unknown.
  std::string share_text(double seconds) const;

  std::string place_;
  std::optional<std::uint64_t> total_;
  bool requested_;
  std::uint64_t numbers_ = 0;
  std::uint64_t bytes_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
};

}  // namespace numpact::cli
