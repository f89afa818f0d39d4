// SPDX-License-Identifier: Apache-2.0
// Generates SVG text.
#pragma once

#include <string>
#include <string_view>

namespace numpact::cli {

// Elements are drawn in the order of the calls, later ones on top. Lengths are in pixels. `style`:
// attributes, written verbatim.
class Svg {
 public:
  Svg(double width, double height);

  void line(double x1, double y1, double x2, double y2, std::string_view style);
  // (x, y) is the upper left corner. `title` is shown as a tooltip.
  void box(double x, double y, double width, double height, std::string_view style,
           std::string_view title = "");
  void circle(double x, double y, double radius, std::string_view style);
  // Characters that XML does not allow in text are replaced.
  void label(double x, double y, std::string_view text, std::string_view style);

  // The complete SVG document.
  std::string text() const { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

// The smallest of 1, 2 or 5 times a power of ten that is not below `step`.
double round_step(double step);

}  // namespace numpact::cli
