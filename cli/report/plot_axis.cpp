// SPDX-License-Identifier: Apache-2.0
#include "report/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace numpact::cli {
namespace {

// Bins narrower than this share of the axis are hardly visible: 1.4 pixels.
constexpr double kMinVisibleShare = 1.0 / 600;
constexpr double kMaxUnseenShare = 0.5;
constexpr int kMarks = 8;  // about, of a linear axis
constexpr PlotNumber kDaysPerMonth = 30.4375L;
// Years that std::chrono can represent, with a margin.
constexpr PlotNumber kMaxYears = 30'000;

double share_of_latents(const BinInfo& bin, const LatentVariableInfo& variable) {
  return std::ldexp(bin.weight, -static_cast<int>(variable.ans_size_log));
}

// The days since 1970 of the first day of a month, which is counted from January 1970 on.
std::int64_t first_day_of(std::int64_t month) {
  using namespace std::chrono;
  const year_month_day day = (1970y / January / 1) + months(month);
  return sys_days(day).time_since_epoch().count();
}

}  // namespace

PlotAxis::PlotAxis(const LatentScale& scale, const LatentVariableInfo& variable) : scale_(scale) {
  measure(variable);
  if (is_empty()) return;
  if (unseen_share(variable) < kMaxUnseenShare) return;
  is_linear_ = false;
  if (scale_.is_relative()) return;
  if (scale_.is_time() || unseen_share(variable) >= kMaxUnseenShare) origin_ = median_;
}

void PlotAxis::measure(const LatentVariableInfo& variable) {
  PlotNumber low = std::numeric_limits<PlotNumber>::max();
  PlotNumber high = std::numeric_limits<PlotNumber>::lowest();
  PlotNumber unit = std::numeric_limits<PlotNumber>::max();
  std::vector<std::pair<PlotNumber, double>> shares;
  double all = 0;
  for (const BinInfo& bin : variable.bins) {
    const auto range = scale_.range_of(bin);
    if (!range) continue;
    low = std::min(low, range->low);
    high = std::max(high, range->high);
    // For floats, bins have very different numbers of latents; otherwise these are equally spaced.
    const bool is_even = scale_.is_relative() || scale_.is_whole();
    const int latents_log = is_even ? static_cast<int>(bin.offset_bits) : 0;
    const PlotNumber width = std::ldexp(range->high - range->low, -latents_log);
    if (width > 0) unit = std::min(unit, width);
    shares.emplace_back(range->low, share_of_latents(bin, variable));
    all += shares.back().second;
  }
  if (shares.empty()) return;
  low_ = low;
  high_ = high;
  if (unit < std::numeric_limits<PlotNumber>::max()) unit_ = unit;
  std::sort(shares.begin(), shares.end());
  double sum = 0;
  for (const auto& [number, share] : shares) {
    median_ = number;
    sum += share;
    if (2 * sum >= all) break;
  }
}

double PlotAxis::unseen_share(const LatentVariableInfo& variable) const {
  struct Place {
    double from;
    double to;
    double share;
  };
  std::vector<Place> places;
  for (const BinInfo& bin : variable.bins) {
    const auto range = scale_.range_of(bin);
    if (!range) continue;
    places.push_back(
        {share_of(range->low), share_of(range->high), share_of_latents(bin, variable)});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.from < b.from; });
  double unseen = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    // A narrow bin is drawn as a line, which is seen if it stands alone.
    const double before = i == 0 ? 1 : places[i].from - places[i - 1].to;
    const double after = i + 1 == places.size() ? 1 : places[i + 1].from - places[i].to;
    const double width = std::max(places[i].to - places[i].from, std::min(before, after));
    if (width < kMinVisibleShare) unseen += places[i].share;
  }
  return unseen;
}

PlotNumber PlotAxis::bent(PlotNumber number) const {
  if (is_linear_) return number;
  const PlotNumber distance = number - origin_;
  return std::copysign(std::log2(1 + std::fabs(distance) / unit_), distance);
}

double PlotAxis::share_of(PlotNumber number) const {
  const PlotNumber length = bent(high_) - bent(low_);
  if (!(length > 0)) return 0;
  return static_cast<double>((bent(number) - bent(low_)) / length);
}

std::string PlotAxis::title() const {
  if (is_linear_) return scale_.title();
  return fmt::format("{}, logarithmic to both sides of {}", scale_.title(),
                     origin_ == 0 && !scale_.is_time() ? "0" : scale_.text(origin_, 0));
}

void PlotAxis::add_mark(std::vector<Mark>& marks, PlotNumber number, PlotNumber step) const {
  if (number < low_ || number > high_) return;
  marks.push_back({share_of(number), scale_.text(number, step)});
}

std::vector<PlotAxis::Mark> PlotAxis::marks() const {
  if (!is_linear_) return logarithmic_marks();
  return scale_.is_time() ? time_marks() : linear_marks();
}

std::vector<PlotAxis::Mark> PlotAxis::linear_marks() const {
  std::vector<Mark> marks;
  const PlotNumber spacing = (high_ - low_) / kMarks;
  PlotNumber step = std::pow(PlotNumber{10}, std::floor(std::log10(spacing)));
  for (const PlotNumber factor : {1.0L, 2.0L, 5.0L, 10.0L}) {
    if (spacing > factor * step) continue;
    step *= factor;
    break;
  }
  if (scale_.is_whole()) step = std::max(PlotNumber{1}, step);
  // Counted, because adding a small step to a large number may not change it.
  const PlotNumber first = std::ceil(low_ / step);
  for (int i = 0; i <= 2 * kMarks; ++i) add_mark(marks, (first + i) * step, step);
  return marks;
}

std::vector<PlotAxis::Mark> PlotAxis::time_marks() const {
  const PlotNumber per_second = scale_.per_second();
  const PlotNumber spacing = (high_ - low_) / per_second / kMarks;  // in seconds
  if (spacing < 1) return linear_marks();
  const PlotNumber years = std::max(std::fabs(low_), std::fabs(high_)) / per_second /
                           kPlotSecondsPerDay / kDaysPerMonth / 12;
  for (const int months : {1, 3, 6, 12, 24, 60, 120, 240, 600, 1200}) {
    const PlotNumber length = months * kDaysPerMonth * kPlotSecondsPerDay;
    if (spacing > length || spacing < length / 12 || years > kMaxYears) continue;
    if (months > 1 || spacing > 14 * kPlotSecondsPerDay) return month_marks(months);
  }
  PlotNumber step = kPlotSecondsPerDay;
  for (const PlotNumber length :
       {1,    2,    5,    10,     15,     30,     60,     120,     300,     600,      900,
        1800, 3600, 7200, 10'800, 21'600, 43'200, 86'400, 172'800, 604'800, 1'209'600}) {
    step = length;
    if (spacing <= length) break;
  }
  while (spacing > step) step *= 10;  // years beyond the calendar
  step = std::max(step * per_second, PlotNumber{1});
  std::vector<Mark> marks;
  const PlotNumber first = std::ceil(low_ / step);
  for (int i = 0; i <= 2 * kMarks; ++i) add_mark(marks, (first + i) * step, step);
  return marks;
}

std::vector<PlotAxis::Mark> PlotAxis::month_marks(int months) const {
  const PlotNumber per_day = kPlotSecondsPerDay * scale_.per_second();
  const auto start = static_cast<std::int64_t>(std::floor(low_ / per_day / kDaysPerMonth / months));
  std::vector<Mark> marks;
  for (int i = -1; i <= 2 * kMarks; ++i) {
    const std::int64_t day = first_day_of((start + i) * months);
    add_mark(marks, std::round(static_cast<PlotNumber>(day) * per_day), per_day);
  }
  return marks;
}

std::vector<PlotAxis::Mark> PlotAxis::logarithmic_marks() const {
  const PlotNumber max_distance = std::max({2 * unit_, origin_ - low_, high_ - origin_});
  const PlotNumber min_power = std::floor(std::log10(unit_));
  const PlotNumber max_power = std::floor(std::log10(max_distance));
  const PlotNumber step = std::max(PlotNumber{1}, std::ceil((max_power - min_power) / 6));
  std::vector<Mark> marks;
  add_mark(marks, origin_, unit_);
  for (PlotNumber power = max_power; power >= min_power; power -= step) {
    const PlotNumber distance = std::pow(PlotNumber{10}, power);
    add_mark(marks, origin_ + distance, distance);
    add_mark(marks, origin_ - distance, distance);
  }
  return marks;
}

}  // namespace numpact::cli
