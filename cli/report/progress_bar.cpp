// SPDX-License-Identifier: Apache-2.0
#include "report/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include "failure.hpp"
#include "platform/terminal.hpp"
#include "report/text_table.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

constexpr std::chrono::milliseconds kFirstDraw{1000};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::size_t kBarCells = 10;  // leaves room for the name of file and column
// Terminals that do not tell their width have at least this one.
constexpr std::size_t kDefaultColumns = 80;
// Minimum columns of the name of file and column, if the terminal is narrow.
constexpr std::size_t kMinPlaceWidth = 16;

// The bar that is on the terminal, which has one line for all threads.
std::atomic<const ProgressBar*> shown_bar = nullptr;

std::size_t terminal_columns() {
  const std::size_t columns = platform::terminal_columns();
  return columns > 0 ? columns : kDefaultColumns;
}

// "7 s", "2:05 min", "1:02:05 h".
std::string duration_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::ceil(seconds));
  if (all < 60) return fmt::format("{} s", all);
  if (all < 3600) return fmt::format("{}:{:02} min", all / 60, all % 60);
  return fmt::format("{}:{:02}:{:02} h", all / 3600, all / 60 % 60, all % 60);
}

}  // namespace

ProgressBar::ProgressBar(const std::string& place, std::optional<std::uint64_t> total,
                         bool requested)
    : place_(one_line(place)),
      total_(total),
      requested_(requested && platform::is_terminal(platform::kStandardError)),
      next_draw_(start_ + kFirstDraw) {}

ProgressBar::~ProgressBar() {
  if (shown_bar != this) return;
  std::fputs("\r\033[K", stderr);
  shown_bar = nullptr;
}

void ProgressBar::add(std::uint64_t numbers, std::uint64_t bytes) {
  numbers_ += numbers;
  bytes_ += bytes;
  if (!requested_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  const ProgressBar* none = nullptr;
  if (shown_bar != this && !shown_bar.compare_exchange_strong(none, this)) return;
  next_draw_ = now + kBetweenDraws;
  draw(std::chrono::duration<double>(now - start_).count());
}

std::string ProgressBar::share_text(double seconds) const {
  if (!total_ || *total_ == 0) return "";
  const double share = std::min(1.0, static_cast<double>(numbers_) / static_cast<double>(*total_));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarCells));
  std::string text =
      fmt::format(" [{:<{}}] {:.0f} %", std::string(full, '#'), kBarCells, 100 * share);
  if (share > 0) text += fmt::format(", {} left", duration_text(seconds * (1 - share) / share));
  return text;
}

void ProgressBar::draw(double seconds) {
  const std::string rest =
      share_text(seconds) + fmt::format("{} {:.1f} M numbers, {:.0f} MB/s", total_ ? "," : ":",
                                        static_cast<double>(numbers_) / 1e6,
                                        static_cast<double>(bytes_) / 1e6 / seconds);
  // The last cell stays empty, because some terminals begin a line after it. The end of the place
  // matters most: the column, and the name of the file without its folders.
  const std::size_t columns = terminal_columns();
  const std::size_t used = rest.size() + 1;
  const std::size_t place_width = std::max(kMinPlaceWidth, columns > used ? columns - used : 0);
  const std::string line = "\r\033[K" + shorten_front(place_, place_width) + rest;
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace numpact::cli
