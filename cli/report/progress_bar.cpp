// SPDX-License-Identifier: Apache-2.0
#include "report/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "report/text_table.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

constexpr std::chrono::milliseconds kFirstDraw{1000};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kBarCells = 20;
constexpr std::size_t kLabelWidth = 24;

}  // namespace

ProgressBar::ProgressBar(const std::string& label, std::optional<std::uint64_t> total,
                         bool requested)
    : label_(shorten(one_line(label), kLabelWidth)),
      total_(total),
      requested_(requested && ::isatty(STDERR_FILENO) == 1),
      next_draw_(start_ + kFirstDraw) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::add(std::uint64_t numbers, std::uint64_t bytes) {
  numbers_ += numbers;
  bytes_ += bytes;
  if (!requested_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetweenDraws;
  draw(std::chrono::duration<double>(now - start_).count());
}

void ProgressBar::draw(double seconds) {
  std::string line = "\r\033[K" + label_;
  if (total_ && *total_ > 0) {
    const double share =
        std::min(1.0, static_cast<double>(numbers_) / static_cast<double>(*total_));
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarCells));
    line += fmt::format(" [{:<{}}] {:3.0f}%", std::string(full, '#'), kBarCells, 100 * share);
  }
  line += fmt::format(" {:.1f} M numbers, {:.0f} MB/s", static_cast<double>(numbers_) / 1e6,
                      static_cast<double>(bytes_) / 1e6 / seconds);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace numpact::cli
