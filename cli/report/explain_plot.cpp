// SPDX-License-Identifier: Apache-2.0
#include "report/explain_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "report/svg.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr double kWidth = 960;
constexpr double kHead = 60;
constexpr double kPanel = 330;
constexpr double kLeft = 90;
constexpr double kRight = 40;
constexpr double kPanelTop = 62;  // within the panel
constexpr double kPanelBottom = 62;
constexpr double kMinBoxWidth = 1.2;  // of a box, so that it stays visible
// Bins narrower than this share of the range are invisible on a linear axis.
constexpr double kMinVisibleShare = 1.0 / 600;
// Beyond this ratio of densities the axis is logarithmic.
constexpr double kMaxLinearDensityRatio = 50;
constexpr std::size_t kMaxSwatches = 12;
constexpr double kMaxReadableLatent =
    1e7;  // above it, latents are labelled by their distance from the middle

constexpr std::uint64_t kMinNamedPowerOfTwo =
    1 << 16;                         // from here on, powers of two are labelled as such
constexpr double kMinLabelGap = 48;  // minimum distance of labels below the axis

constexpr std::string_view kMiddle = "text-anchor=\"middle\"";
constexpr std::string_view kEnd = "text-anchor=\"end\"";
constexpr std::string_view kAxis = "stroke=\"#333\"";
constexpr std::string_view kGrid = "stroke=\"#ddd\"";

// From blue for no offset bits over green to red for the most.
std::string colour_of(unsigned offset_bits, unsigned max_bits) {
  const double share = max_bits == 0 ? 0 : static_cast<double>(offset_bits) / max_bits;
  return fmt::format("hsl({:.0f},65%,45%)", 225 - 220 * share);
}

struct Box {
  double low;   // relative to the origin
  double high;  // one past the last latent
  double density;
  double share;
  BinInfo bin;
};

double distance(std::uint64_t value, std::uint64_t origin) {
  return value >= origin ? static_cast<double>(value - origin)
                         : -static_cast<double>(origin - value);
}

// The lower end of the bin that contains the median latent.
std::uint64_t median_of(std::vector<BinInfo> bins, unsigned ans_size_log) {
  std::sort(bins.begin(), bins.end(),
            [](const BinInfo& a, const BinInfo& b) { return a.lower < b.lower; });
  std::uint64_t sum = 0;
  for (const BinInfo& bin : bins) {
    sum += bin.weight;
    if (2 * sum >= std::uint64_t{1} << ans_size_log) return bin.lower;
  }
  return 0;
}

// Maps latents to positions on the axis: linear, or logarithmic in the distance from the origin.
class LatentAxis {
 public:
  explicit LatentAxis(const LatentVariableInfo& variable) {
    if (variable.bins.empty()) return;
    std::uint64_t min_lower = std::numeric_limits<std::uint64_t>::max();
    double max_upper = 0;
    for (const BinInfo& bin : variable.bins) {
      min_lower = std::min(min_lower, bin.lower);
      max_upper = std::max(max_upper, static_cast<double>(bin.lower) + width_of(bin));
    }
    is_difference_ = variable.delta_encoded;
    const std::uint64_t half = std::uint64_t{1} << (variable.latent_bits - 1);
    const std::uint64_t middle =
        is_difference_ ? half : median_of(variable.bins, variable.ans_size_log);
    double unseen = 0;
    for (const BinInfo& bin : variable.bins) {
      const double share = std::ldexp(bin.weight, -static_cast<int>(variable.ans_size_log));
      const double range = max_upper - static_cast<double>(min_lower);
      if (width_of(bin) < kMinVisibleShare * range) unseen += share;
    }
    is_linear_ = unseen < 0.5;
    const bool is_relative = is_difference_ || !is_linear_ || max_upper > kMaxReadableLatent;
    origin_ = is_relative ? middle : 0;
    low_ = std::numeric_limits<double>::max();
    high_ = std::numeric_limits<double>::lowest();
    for (const BinInfo& bin : variable.bins) {
      const double at = distance(bin.lower, origin_);
      low_ = std::min(low_, at);
      high_ = std::max(high_, at + width_of(bin));
    }
  }

  static double width_of(const BinInfo& bin) {
    return std::ldexp(1.0, static_cast<int>(bin.offset_bits));
  }

  std::uint64_t origin() const { return origin_; }
  double x_of(double at) const {
    const double share = (bent(at) - bent(low_)) / (bent(high_) - bent(low_));
    return kLeft + share * (kWidth - kLeft - kRight);
  }

  std::string title() const {
    const std::string_view scale = is_linear_ ? "" : ", logarithmic to both sides of 0";
    if (is_difference_) return fmt::format("difference that is stored{}", scale);
    if (origin_ == 0) return fmt::format("latent{}", scale);
    const std::string origin = std::has_single_bit(origin_) && origin_ >= kMinNamedPowerOfTwo
                                   ? fmt::format("2^{}", std::countr_zero(origin_))
                                   : grouped(origin_);
    return fmt::format("latent, less {}{}", origin, scale);
  }

  // Positions of the labels.
  std::vector<double> marks() const {
    std::vector<double> marks;
    if (is_linear_) {
      const double step = std::max(1.0, round_step((high_ - low_) / 8));
      for (double at = std::ceil(low_ / step) * step; at <= high_; at += step) marks.push_back(at);
      return marks;
    }
    const double decades = std::log10(std::max({2.0, -low_, high_}));
    const double step = std::ceil(decades / 6);
    for (double power = std::floor(decades / step) * step; power >= 0; power -= step) {
      if (-std::pow(10, power) >= low_) marks.push_back(-std::pow(10, power));
    }
    if (low_ <= 0 && high_ >= 0) marks.push_back(0);
    for (double power = 0; power <= decades; power += step) {
      const double at = std::pow(10, power);
      if (at >= low_ && at <= high_) marks.push_back(at);
    }
    return marks;
  }

 private:
  double bent(double at) const {
    return is_linear_ ? at : std::copysign(std::log2(1 + std::fabs(at)), at);
  }

  bool is_difference_ = false;
  bool is_linear_ = true;
  std::uint64_t origin_ = 0;
  double low_ = 0;
  double high_ = 1;
};

class Panel {
 public:
  Panel(Svg& svg, const LatentVariableInfo& variable, double top)
      : svg_(svg), variable_(variable), axis_(variable), top_(top) {
    min_density_ = std::numeric_limits<double>::max();
    for (const BinInfo& bin : variable.bins) {
      const double share = std::ldexp(bin.weight, -static_cast<int>(variable.ans_size_log));
      const double low = distance(bin.lower, axis_.origin());
      const double width = LatentAxis::width_of(bin);
      boxes_.push_back({low, low + width, share / width, share, bin});
      min_density_ = std::min(min_density_, share / width);
      max_density_ = std::max(max_density_, share / width);
      max_bits_ = std::max(max_bits_, bin.offset_bits);
    }
    is_linear_ = max_density_ <= kMaxLinearDensityRatio * min_density_;
    // Draws large boxes first, since bins may overlap.
    std::stable_sort(boxes_.begin(), boxes_.end(), [](const Box& a, const Box& b) {
      return a.bin.offset_bits > b.bin.offset_bits;
    });
  }

  void draw() {
    svg_.label(kLeft, top_ + 24, heading(), "font-size=\"15\" font-weight=\"bold\"");
    if (boxes_.empty()) return;
    draw_swatches();
    draw_densities();
    draw_boxes();
    draw_latents();
  }

 private:
  double floor() const { return top_ + kPanel - kPanelBottom; }
  double height() const { return kPanel - kPanelBottom - kPanelTop; }

  double y_of(double density) const {
    double share = density / max_density_;
    if (!is_linear_) {  // keeps the lowest density visible
      const double range = std::log2(max_density_ / min_density_);
      share = (std::log2(density / min_density_) + range / 12) / (range * 13 / 12);
    }
    return floor() - std::clamp(share, 0.0, 1.0) * height();
  }

  std::string heading() const {
    const std::string name = to_string(variable_.variable);
    const std::string bins =
        fmt::format("{} bin{}", variable_.bins.size(), variable_.bins.size() == 1 ? "" : "s");
    if (variable_.stored == 0) return fmt::format("{}: {}, no latents", name, bins);
    const auto latents = static_cast<double>(variable_.stored);
    const double codes = static_cast<double>(variable_.code_bits) / latents;
    const double offsets = static_cast<double>(variable_.offset_bits) / latents;
    return fmt::format("{}: {}; {} latents of {:.3f} bits: codes {:.3f}, offsets {:.3f}", name,
                       bins, grouped(variable_.stored), codes + offsets, codes, offsets);
  }

  void draw_swatches() {
    std::set<unsigned> bits;
    for (const Box& box : boxes_) bits.insert(box.bin.offset_bits);
    const std::vector<unsigned> all(bits.begin(), bits.end());
    const std::size_t shown = std::min(kMaxSwatches, all.size());
    svg_.label(kLeft, top_ + 46, "offset bits", "fill=\"#555\"");
    double x = kLeft + 80;
    for (std::size_t i = 0; i < shown; ++i) {
      const unsigned value = shown == 1 ? all[0] : all[i * (all.size() - 1) / (shown - 1)];
      svg_.box(x, top_ + 35, 12, 12, fill(value));
      svg_.label(x + 17, top_ + 46, std::to_string(value), "fill=\"#555\"");
      x += 46;
    }
  }

  std::string fill(unsigned offset_bits) const {
    return fmt::format("fill=\"{}\"", colour_of(offset_bits, max_bits_));
  }

  void draw_boxes() {
    for (const Box& box : boxes_) {
      const double x = axis_.x_of(box.low);
      const double width = std::max(kMinBoxWidth, axis_.x_of(box.high) - x);
      const double y = y_of(box.density);
      svg_.box(x, y, width, floor() - y, fill(box.bin.offset_bits),
               fmt::format("from {} on, {} offset bits, {:.3g} % of the latents", box.bin.lower,
                           box.bin.offset_bits, 100 * box.share));
    }
  }

  void draw_densities() {
    svg_.label(-(top_ + kPanelTop + height() / 2), 20,
               is_linear_ ? "share for each value" : "share for each value, logarithmic",
               "transform=\"rotate(-90)\" text-anchor=\"middle\"");
    std::vector<double> marks;
    if (is_linear_) {
      const double step = round_step(max_density_ / 5);
      for (int i = 0; i * step <= max_density_; ++i) marks.push_back(i * step);
    } else {
      const double step = std::ceil(std::log10(max_density_ / min_density_) / 7);
      for (double power = std::floor(std::log10(max_density_)); power >= std::log10(min_density_);
           power -= step) {
        marks.push_back(std::pow(10, power));
      }
    }
    for (const double mark : marks) {
      svg_.line(kLeft, y_of(mark), kWidth - kRight, y_of(mark), kGrid);
      svg_.label(kLeft - 8, y_of(mark) + 4, fmt::format("{:.3g}", mark), kEnd);
    }
    svg_.line(kLeft, top_ + kPanelTop, kLeft, floor(), kAxis);
  }

  void draw_latents() {
    svg_.line(kLeft, floor(), kWidth - kRight, floor(), kAxis);
    std::vector<double> marks = axis_.marks();
    std::sort(marks.begin(), marks.end(),
              [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    std::vector<double> written;
    for (const double mark : marks) {
      const double x = axis_.x_of(mark);
      svg_.line(x, floor(), x, floor() + 5, kAxis);
      const auto is_near = [&](double other) { return std::fabs(other - x) < kMinLabelGap; };
      if (std::any_of(written.begin(), written.end(), is_near)) continue;
      svg_.label(x, floor() + 20, mark_text(mark), kMiddle);
      written.push_back(x);
    }
    svg_.label((kLeft + kWidth - kRight) / 2, floor() + 40, axis_.title(), kMiddle);
  }

  // Formats whole numbers; large ones as powers of ten or with few digits.
  static std::string mark_text(double mark) {
    const double power = std::round(std::log10(std::fabs(mark)));
    if (std::fabs(mark) >= 1e5 && std::fabs(mark) == std::pow(10, power)) {
      return fmt::format("{}1e{:.0f}", mark < 0 ? "-" : "", power);
    }
    return fmt::format("{:.12g}", mark);
  }

  Svg& svg_;
  const LatentVariableInfo& variable_;
  LatentAxis axis_;
  double top_;
  std::vector<Box> boxes_;
  double min_density_ = 1;
  double max_density_ = 0;
  unsigned max_bits_ = 0;
  bool is_linear_ = true;
};

}  // namespace

std::string bins_plot(const std::string& place, std::size_t index, const ChunkInfo& chunk) {
  const auto panels = static_cast<double>(chunk.variables.size());
  Svg svg(kWidth, kHead + kPanel * panels);
  svg.label(kWidth / 2, 26, fmt::format("{}, chunk {}", shorten(place, 90), index),
            "text-anchor=\"middle\" font-size=\"16\"");
  const std::uint64_t bits = 8 * (chunk.meta_bytes + chunk.page_bytes);
  svg.label(
      kWidth / 2, 48,
      fmt::format(
          "mode {}, delta {}: {} {} numbers of {:.3f} bits", chunk.mode_text(), chunk.delta_text(),
          grouped(chunk.count), name_of(chunk.type),
          chunk.count == 0 ? 0 : static_cast<double>(bits) / static_cast<double>(chunk.count)),
      "text-anchor=\"middle\" fill=\"#555\"");
  double top = kHead;
  for (const LatentVariableInfo& variable : chunk.variables) {
    Panel(svg, variable, top).draw();
    top += kPanel;
  }
  return svg.text();
}

}  // namespace numpact::cli
