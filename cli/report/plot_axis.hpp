// SPDX-License-Identifier: Apache-2.0
// The horizontal axis of a plot of bins: where numbers are, and its marks.
#pragma once

#include <string>
#include <vector>

#include "report/latent_scale.hpp"

namespace numpact::cli {

// Linear if most of the latents are in bins that are visible on a linear axis. Else logarithmic in
// the distance from an origin.
class PlotAxis {
 public:
  struct Mark {
    double share;  // of the axis, from 0 to 1
    std::string text;
  };

  PlotAxis(const LatentScale& scale, const LatentVariableInfo& variable);

  // Whether there is a number to show.
  bool is_empty() const { return low_ > high_; }
  // The position of a number, from 0 to 1.
  double share_of(PlotNumber number) const;
  std::string title() const;
  // The most important ones first.
  std::vector<Mark> marks() const;

 private:
  void measure(const LatentVariableInfo& variable);
  // The share of the latents in bins that are too narrow and too close to others to be seen.
  double unseen_share(const LatentVariableInfo& variable) const;
  PlotNumber bent(PlotNumber number) const;
  std::vector<Mark> linear_marks() const;
  std::vector<Mark> time_marks() const;
  std::vector<Mark> month_marks(int months) const;
  std::vector<Mark> logarithmic_marks() const;
  void add_mark(std::vector<Mark>& marks, PlotNumber number, PlotNumber step) const;

  const LatentScale& scale_;
  bool is_linear_ = true;
  PlotNumber low_ = 1;
  PlotNumber high_ = 0;
  PlotNumber origin_ = 0;
  PlotNumber median_ = 0;  // the lower end of the bin of the median latent
  PlotNumber unit_ = 1;    // the smallest distance that a logarithmic axis shows
};

}  // namespace numpact::cli
