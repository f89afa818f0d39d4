// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG text.
#ifndef NUMPACT_CLI_SVG_HPP
#define NUMPACT_CLI_SVG_HPP

#include <string>
#include <string_view>

namespace numpact::cli {

// Grows from back to front. Lengths are in pixels; `style` is attributes, written as they are.
class Svg {
 public:
  Svg(double width, double height);

  void line(double x1, double y1, double x2, double y2, std::string_view style);
  // Its corner is the upper left one. `title` is shown where the pointer rests on it.
  void box(double x, double y, double width, double height, std::string_view style,
           std::string_view title = "");
  void circle(double x, double y, double radius, std::string_view style);
  // What XML does not allow in text becomes something that it does.
  void label(double x, double y, std::string_view text, std::string_view style);

  // The whole picture.
  std::string text() const { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

// The next of 1, 2, 5, 10, 20, ... times a power of ten.
double round_step(double step);

}  // namespace numpact::cli

#endif
