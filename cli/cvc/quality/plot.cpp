// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "text_table.hpp"

namespace numpact::cli {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 540;
constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 60;
constexpr double kBottom = 70;
// Below the axis of losses, where points without any loss lie.
constexpr double kNoneBand = 44;
constexpr double kRadius = 4.5;
constexpr double kLabelHeight = 15;
constexpr double kCharacterWidth = 7.5;
constexpr std::array kColours = {"#1b6ca8", "#c8553d", "#2f8f4e", "#8e5ea2", "#b8860b",
                                 "#008b8b", "#a0522d", "#555555", "#c71585", "#4b5320"};

// Text of XML. Control characters are not allowed there.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

// The next of 1, 2, 5, 10, 20, ... times a power of ten.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power) return factor * power;
  }
  return 10 * power;
}

struct Point {
  std::string name;
  double bytes = 0;
  double loss = 0;  // 0: none
  double low = 0;   // of the interval of the loss
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
    double least = 0.1;
    double most_bytes = 1;
    for (const Point& point : points_) {
      most_bytes = std::max(most_bytes, point.bytes);
      for (const double loss : {point.loss, point.low, point.high}) {
        if (loss > 1e-9) least = std::min(least, loss);
      }
    }
    least_power_ = static_cast<int>(std::floor(std::log10(least)));
    step_ = round_step(most_bytes / 6);
    // Room for labels to the right of the last point.
    most_bytes_ = most_bytes * 1.18;
  }

  std::string text() {
    out_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
        "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
        kWidth, kHeight);
    draw_titles();
    draw_bytes_axis();
    draw_loss_axis();
    draw_points();
    return out_ + "</svg>\n";
  }

 private:
  static constexpr double kFloor = kHeight - kBottom;

  double x_of(double bytes) const {
    return kLeft + bytes / most_bytes_ * (kWidth - kLeft - kRight);
  }
  double y_of(double loss) const {
    if (loss <= 1e-9) return kFloor - kNoneBand / 2;
    const double share = std::log10(loss) / least_power_;
    return kTop + std::clamp(share, 0.0, 1.0) * (kFloor - kNoneBand - kTop);
  }

  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                        y1, x2, y2, style);
  }
  void label(double x, double y, std::string_view text, std::string_view style) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(text));
  }

  void draw_titles() {
    const std::string_view middle = "text-anchor=\"middle\"";
    label(kWidth / 2, 24,
          fmt::format("{}: {} vectors of {} values", shorten(report_.source, 60),
                      grouped(report_.vectors), report_.dimension),
          "text-anchor=\"middle\" font-size=\"16\"");
    label(kWidth / 2, 44,
          fmt::format("nearest by {} among {} rows, {} queries, 95 % intervals",
                      name_of(report_.plan.metric), grouped(report_.sample_rows),
                      grouped(report_.plan.queries)),
          "text-anchor=\"middle\" fill=\"#555\"");
    label((kLeft + kWidth - kRight) / 2, kHeight - 18, "size (bytes per vector)", middle);
    label(-(kTop + kFloor) / 2, 24,
          fmt::format("lost of the {} nearest (1 - recall@{}, share)", report_.plan.k,
                      report_.plan.k),
          "transform=\"rotate(-90)\" text-anchor=\"middle\"");
  }

  void draw_bytes_axis() {
    line(kLeft, kFloor, kWidth - kRight, kFloor, "stroke=\"#333\"");
    for (int step = 0; step * step_ <= most_bytes_; ++step) {
      const double bytes = step * step_;
      line(x_of(bytes), kFloor, x_of(bytes), kFloor + 5, "stroke=\"#333\"");
      label(x_of(bytes), kFloor + 20, fmt::format("{:g}", bytes), "text-anchor=\"middle\"");
    }
  }

  void draw_loss_axis() {
    line(kLeft, kTop, kLeft, kFloor, "stroke=\"#333\"");
    for (int power = 0; power >= least_power_; --power) {
      const double y = y_of(std::pow(10, power));
      line(kLeft, y, kWidth - kRight, y, "stroke=\"#ddd\"");
      label(kLeft - 8, y + 4, fmt::format("{:g}", std::pow(10, power)), "text-anchor=\"end\"");
    }
    label(kLeft - 8, y_of(0) + 4, "none", "text-anchor=\"end\"");
  }

  // Where the text of a point can stand so that it covers no other, nor a point.
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
          line(x - 4, y_of(end), x + 4, y_of(end), stroke);
        }
        line(x, y_of(point.low), x, y_of(point.high), stroke);
      }
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, y,
                          kRadius, colour);
      const std::string name = shorten(point.name, 30);
      const double place =
          free_place(x + 9, y + 4, kCharacterWidth * static_cast<double>(name.size()));
      label(x + 9, place, name, fmt::format("fill=\"{}\"", colour));
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
  std::string out_;
  int least_power_ = -1;
  double most_bytes_ = 1;
  double step_ = 1;
};

}  // namespace

std::string quality_plot(const QualityReport& report) { return Plot(report).text(); }

}  // namespace numpact::cli
