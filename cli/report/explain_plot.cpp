// SPDX-License-Identifier: Apache-2.0
#include "report/explain_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "report/latent_scale.hpp"
#include "report/plot_axis.hpp"
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
// Bins that are narrower are marked by a line, so that they stay visible.
constexpr double kMinBoxWidth = 1.2;
// Beyond this ratio of densities the axis is logarithmic.
constexpr double kMaxLinearDensityRatio = 50;
constexpr std::size_t kMaxSwatches = 12;
constexpr double kCharacterWidth = 7;  // about, of labels
constexpr double kLabelGap = 10;       // minimum distance of labels below the axis

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
  LatentScale::Range range;
  double density;
  double share;
  BinInfo bin;
};

class Panel {
 public:
  Panel(Svg& svg, const ChunkInfo& chunk, const LatentVariableInfo& variable,
        const LogicalType& logical, double top)
      : svg_(svg),
        variable_(variable),
        scale_(chunk, variable, logical),
        axis_(scale_, variable),
        top_(top) {
    min_density_ = std::numeric_limits<double>::max();
    for (const BinInfo& bin : variable.bins) {
      const double share = std::ldexp(bin.weight, -static_cast<int>(variable.ans_size_log));
      const std::optional<LatentScale::Range> range = scale_.range_of(bin);
      if (!range) {
        hidden_share_ += share;
        continue;
      }
      const double density = std::ldexp(share, -static_cast<int>(bin.offset_bits));
      boxes_.push_back({*range, density, share, bin});
      min_density_ = std::min(min_density_, density);
      max_density_ = std::max(max_density_, density);
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
    if (hidden_share_ > 0) {
      svg_.label(kWidth - kRight, top_ + 46,
                 fmt::format("not drawn: NaN and infinities, {:.3g} %", 100 * hidden_share_), kEnd);
    }
    if (boxes_.empty()) return;
    draw_swatches();
    draw_densities();
    draw_boxes();
    draw_numbers();
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

  double x_of(double share) const { return kLeft + share * (kWidth - kLeft - kRight); }

  void draw_boxes() {
    for (const Box& box : boxes_) {
      const double x = x_of(axis_.share_of(box.range.low));
      const double width = x_of(axis_.share_of(box.range.high)) - x;
      const double y = y_of(box.density);
      svg_.box(x, y, width, floor() - y, fill(box.bin.offset_bits), title_of(box));
      if (width >= kMinBoxWidth) continue;
      const double centre = x + width / 2;
      svg_.line(centre, y, centre, floor(),
                fmt::format("stroke=\"{}\"", colour_of(box.bin.offset_bits, max_bits_)));
    }
  }

  std::string title_of(const Box& box) const {
    std::string numbers = scale_.text(box.range.low, 0);
    if (box.bin.offset_bits > 0 && !scale_.text(box.range.high, 0).empty())
      numbers += " to below " + scale_.text(box.range.high, 0);
    return fmt::format("{}: {} offset bits, {:.3g} % of the latents", numbers, box.bin.offset_bits,
                       100 * box.share);
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

  void draw_numbers() {
    svg_.line(kLeft, floor(), kWidth - kRight, floor(), kAxis);
    struct Label {
      double centre;
      double width;
    };
    std::vector<Label> written;
    for (const PlotAxis::Mark& mark : axis_.marks()) {
      const double x = x_of(mark.share);
      svg_.line(x, floor(), x, floor() + 5, kAxis);
      const double width = kCharacterWidth * static_cast<double>(mark.text.size());
      const double centre = std::min(x, kWidth - width / 2);
      const auto is_near = [&](const Label& other) {
        return std::fabs(other.centre - centre) < (other.width + width) / 2 + kLabelGap;
      };
      if (std::any_of(written.begin(), written.end(), is_near)) continue;
      svg_.label(centre, floor() + 20, mark.text, kMiddle);
      written.push_back({centre, width});
    }
    svg_.label((kLeft + kWidth - kRight) / 2, floor() + 40, axis_.title(), kMiddle);
  }

  Svg& svg_;
  const LatentVariableInfo& variable_;
  LatentScale scale_;
  PlotAxis axis_;
  double top_;
  std::vector<Box> boxes_;
  double min_density_ = 1;
  double max_density_ = 0;
  unsigned max_bits_ = 0;
  double hidden_share_ = 0;  // of latents in bins of NaN and infinities
  bool is_linear_ = true;
};

}  // namespace

std::string bins_plot(const std::string& place, std::size_t index, const ChunkInfo& chunk,
                      const LogicalType& logical) {
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
    Panel(svg, chunk, variable, logical, top).draw();
    top += kPanel;
  }
  return svg.text();
}

}  // namespace numpact::cli
