// SPDX-License-Identifier: Apache-2.0
// The latents of a chunk in the units of the user: prices, times, differences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numbers/logical_type.hpp"
#include "numpact/inspect.hpp"

namespace numpact::cli {

// Holds every integer and every float that a column can hold.
using PlotNumber = long double;

inline constexpr PlotNumber kPlotSecondsPerDay = 86'400;

// Maps the latents of a variable to numbers: those of the user where latents stand for such, else
// differences, remainders, steps or distances.
class LatentScale {
 public:
  LatentScale(const ChunkInfo& chunk, const LatentVariableInfo& variable,
              const LogicalType& logical);

  struct Range {
    PlotNumber low;
    PlotNumber high;  // the number after the last one
  };
  // None for a bin of NaN or infinities.
  std::optional<Range> range_of(const BinInfo& bin) const;

  // The title of the axis.
  const std::string& title() const { return title_; }
  // Whether 0 is a natural origin, as for differences.
  bool is_relative() const { return meaning_ != Meaning::kNumber; }
  // Whether there are no numbers between the whole ones.
  bool is_whole() const { return is_whole_; }
  // Whether marks belong at seconds, hours, days, months.
  bool is_time() const { return is_time_; }
  // For times: how many make a second.
  PlotNumber per_second() const { return per_second_; }

  // The text of a number whose neighbours on the axis are `step` away. 0: all digits.
  std::string text(PlotNumber number, PlotNumber step) const;

 private:
  enum class Meaning { kNumber, kDifference, kOther };

  void set_primary(const ChunkInfo& chunk, bool is_difference);
  void set_secondary(const ChunkInfo& chunk, bool is_difference);
  // Differences of times are durations: chooses their unit by the largest one.
  void set_duration_unit(const LatentVariableInfo& variable);
  std::optional<PlotNumber> number_of(PlotNumber latent) const;
  std::optional<PlotNumber> float_of_ordered(std::uint64_t ordered) const;
  std::optional<PlotNumber> float_of_multiple(std::uint64_t latent) const;

  // Bits of the numbers' latents; the indices of Dict have other latents.
  unsigned type_bits() const { return static_cast<unsigned>(8 * size_of(type_)); }

  NumberType type_;
  unsigned bits_;  // of the latents
  LogicalType logical_;
  Mode mode_;
  Meaning meaning_ = Meaning::kNumber;
  bool is_centred_ = false;  // latents are differences from the middle of their range
  bool is_whole_ = true;
  bool is_time_ = false;
  PlotNumber per_second_ = 1;
  PlotNumber multiple_ = 1;  // of IntMult and FloatMult: the number that latents count
  PlotNumber unit_ = 1;      // of durations: how many units of the axis a unit of the column has
  unsigned shift_ = 0;       // of FloatQuant
  std::vector<std::uint64_t> entries_;  // of Dict: ordered latents
  std::string title_;
};

}  // namespace numpact::cli
