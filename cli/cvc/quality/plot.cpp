// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/svg.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

using cvc::quality::QualityReport;
using cvc::quality::QualityRow;

constexpr double kWidth = 860;
constexpr double kHeight = 540;
constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 60;
constexpr double kBottom = 70;
// Height of the band below the axis where points without loss lie.
constexpr double kNoLossBandHeight = 44;
constexpr double kRadius = 4.5;
constexpr double kLabelHeight = 15;
constexpr double kCharacterWidth = 7.5;
constexpr std::array kColours = {"#1b6ca8", "#c8553d", "#2f8f4e", "#8e5ea2", "#b8860b",
                                 "#008b8b", "#a0522d", "#555555", "#c71585", "#4b5320"};

struct Point {
  std::string name;
  double bytes = 0;
  double loss = 0;  // 0: none
  double low = 0;   // lower end of the interval of the loss
  double high = 0;
};

std::vector<Point> points_of(const QualityReport& report) {
  std::vector<Point> points;
  for (const QualityRow& row : report.rows) {
    if (!row.recall) continue;
    points.push_back({row.name, report.bytes_per_vector(row), 1 - row.recall->mean,
                      1 - row.recall->high, 1 - row.recall->low});
  }
  return points;
}

class Plot {
 public:
  explicit Plot(const QualityReport& report) : report_(report), points_(points_of(report)) {
    double min_loss = 0.1;
    double max_bytes = 1;
    for (const Point& point : points_) {
      max_bytes = std::max(max_bytes, point.bytes);
      for (const double loss : {point.loss, point.low, point.high}) {
        if (loss > 1e-9) min_loss = std::min(min_loss, loss);
      }
    }
    min_power_ = static_cast<int>(std::floor(std::log10(min_loss)));
    step_ = round_step(max_bytes / 6);
    // Leaves space for labels to the right of the last point.
    max_bytes_ = max_bytes * 1.18;
  }

  std::string text() {
    draw_titles();
    draw_bytes_axis();
    draw_loss_axis();
    draw_points();
    return svg_.text();
  }

 private:
  static constexpr double kFloor = kHeight - kBottom;

  double x_of(double bytes) const { return kLeft + bytes / max_bytes_ * (kWidth - kLeft - kRight); }
  double y_of(double loss) const {
    if (loss <= 1e-9) return kFloor - kNoLossBandHeight / 2;
    const double share = std::log10(loss) / min_power_;
    return kTop + std::clamp(share, 0.0, 1.0) * (kFloor - kNoLossBandHeight - kTop);
  }

  void draw_titles() {
    const std::string_view middle = "text-anchor=\"middle\"";
    svg_.label(kWidth / 2, 24,
               fmt::format("{}: {} vectors of {} values", shorten(report_.source, 60),
                           grouped(report_.vectors), report_.dimension),
               "text-anchor=\"middle\" font-size=\"16\"");
    svg_.label(kWidth / 2, 44,
               fmt::format("nearest by {} among {} rows, {} queries, 95 % intervals",
                           name_of(report_.plan.metric), grouped(report_.sample_rows),
                           grouped(report_.plan.queries)),
               "text-anchor=\"middle\" fill=\"#555\"");
    svg_.label((kLeft + kWidth - kRight) / 2, kHeight - 18, "size (bytes per vector)", middle);
    svg_.label(-(kTop + kFloor) / 2, 24,
               fmt::format("lost of the {} nearest (1 - recall@{}, share)", report_.plan.k,
                           report_.plan.k),
               "transform=\"rotate(-90)\" text-anchor=\"middle\"");
  }

  void draw_bytes_axis() {
    svg_.line(kLeft, kFloor, kWidth - kRight, kFloor, "stroke=\"#333\"");
    for (int step = 0; step * step_ <= max_bytes_; ++step) {
      const double bytes = step * step_;
      svg_.line(x_of(bytes), kFloor, x_of(bytes), kFloor + 5, "stroke=\"#333\"");
      svg_.label(x_of(bytes), kFloor + 20, fmt::format("{:g}", bytes), "text-anchor=\"middle\"");
    }
  }

  void draw_loss_axis() {
    svg_.line(kLeft, kTop, kLeft, kFloor, "stroke=\"#333\"");
    for (int power = 0; power >= min_power_; --power) {
      const double y = y_of(std::pow(10, power));
      svg_.line(kLeft, y, kWidth - kRight, y, "stroke=\"#ddd\"");
      svg_.label(kLeft - 8, y + 4, fmt::format("{:g}", std::pow(10, power)), "text-anchor=\"end\"");
    }
    svg_.label(kLeft - 8, y_of(0) + 4, "none", "text-anchor=\"end\"");
  }

  // Finds a position for a point's label that covers no other label and no point.
  double free_place(double x, double y, double width) {
    const auto is_taken = [&](double at) {
      return std::any_of(labels_.begin(), labels_.end(), [&](const Label& other) {
        return std::fabs(other.y - at) < kLabelHeight && x < other.x + other.width &&
               other.x < x + width;
      });
    };
    double place = y;
    for (int step = 1; is_taken(place) && step < 20; ++step) {
      place = y - step * kLabelHeight / 2;
      if (is_taken(place)) place = y + step * kLabelHeight / 2;
    }
    place = std::clamp(place, kTop, kFloor);
    labels_.push_back({x, place, width});
    return place;
  }

  void draw_points() {
    for (const Point& point : points_) {
      labels_.push_back({x_of(point.bytes) - kRadius, y_of(point.loss) + 4, 2 * kRadius});
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Point& point = points_[i];
      const std::string colour = kColours[i % kColours.size()];
      const double x = x_of(point.bytes);
      const double y = y_of(point.loss);
      const std::string stroke = fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", colour);
      if (point.high > point.low) {
        for (const double end : {point.low, point.high}) {
          svg_.line(x - 4, y_of(end), x + 4, y_of(end), stroke);
        }
        svg_.line(x, y_of(point.low), x, y_of(point.high), stroke);
      }
      svg_.circle(x, y, kRadius, fmt::format("fill=\"{}\"", colour));
      const std::string name = shorten(point.name, 30);
      const double place =
          free_place(x + 9, y + 4, kCharacterWidth * static_cast<double>(name.size()));
      svg_.label(x + 9, place, name, fmt::format("fill=\"{}\"", colour));
    }
  }

  struct Label {
    double x;
    double y;
    double width;
  };

  const QualityReport& report_;
  std::vector<Point> points_;
  std::vector<Label> labels_;
  Svg svg_{kWidth, kHeight};
  int min_power_ = -1;
  double max_bytes_ = 1;
  double step_ = 1;
};

}  // namespace

std::string quality_plot(const QualityReport& report) { return Plot(report).text(); }

}  // namespace numpact::cli
