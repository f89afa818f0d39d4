// SPDX-License-Identifier: Apache-2.0
#include "report/latent_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "numbers/number_text.hpp"
#include "report/text_table.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

// Beyond these numbers of digits, numbers are written with an exponent.
constexpr PlotNumber kMaxPlainNumber = 1e15L;
constexpr int kMaxDecimals = 12;

std::uint64_t middle(unsigned bits) { return std::uint64_t{1} << (bits - 1); }
std::uint64_t largest(unsigned bits) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
}

bool is_float(NumberType type) {
  return type == NumberType::kF16 || type == NumberType::kF32 || type == NumberType::kF64;
}

bool is_signed(NumberType type) {
  return type == NumberType::kI8 || type == NumberType::kI16 || type == NumberType::kI32 ||
         type == NumberType::kI64;
}

double float_of_bits(NumberType type, std::uint64_t bits) {
  if (type == NumberType::kF16) return to_float(Float16{static_cast<std::uint16_t>(bits)});
  if (type == NumberType::kF32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

// The shortest text from which the number of this type can be read back.
std::string shortest(NumberType type, double number) {
  if (type == NumberType::kF64) return fmt::format("{}", number);
  if (type == NumberType::kF32) return fmt::format("{}", static_cast<float>(number));
  return fmt::format("{:.4g}", number);
}

std::string grouped_digits(std::string text) {
  const std::size_t start = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > start + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

// The decimals that tell numbers apart that are `step` away.
int decimals_of(PlotNumber step) {
  return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-6L));
}

std::string unit_name(PlotNumber seconds) {
  constexpr std::pair<PlotNumber, std::string_view> kUnits[] = {{kPlotSecondsPerDay, "days"},
                                                                {3600, "hours"},
                                                                {60, "minutes"},
                                                                {1, "s"},
                                                                {1e-3L, "ms"},
                                                                {1e-6L, "us"},
                                                                {1e-9L, "ns"}};
  for (const auto& [length, name] : kUnits) {
    if (seconds >= length * 0.999L) return std::string(name);
  }
  return "ns";
}

std::string difference_title(const ChunkInfo& chunk) {
  switch (chunk.delta()) {
    case Delta::kConsecutive: {
      const unsigned order = std::get<ConsecutiveInfo>(chunk.delta_info).order;
      return order == 1 ? "difference from the number before"
                        : fmt::format("difference of order {}", order);
    }
    case Delta::kLookback:
      return "difference from an earlier number";
    case Delta::kConv1:
      return "difference from the prediction";
    default:
      return "difference";
  }
}

}  // namespace

LatentScale::LatentScale(const ChunkInfo& chunk, const LatentVariableInfo& variable,
                         const LogicalType& logical)
    : type_(chunk.type), bits_(variable.latent_bits), logical_(logical), mode_(chunk.mode()) {
  if (has_unit(logical.kind)) per_second_ = static_cast<PlotNumber>(cli::per_second(logical.unit));
  if (logical.kind == LogicalKind::kDate32) per_second_ = 1 / kPlotSecondsPerDay;
  if (logical.kind == LogicalKind::kDate64) per_second_ = 1000;
  is_centred_ = variable.delta_encoded;
  switch (variable.variable) {
    case LatentVariable::kDelta:
      meaning_ = Meaning::kOther;
      mode_ = Mode::kClassic;
      title_ = "distance to the earlier number that it resembles, in numbers";
      break;
    case LatentVariable::kPrimary:
      set_primary(chunk, variable.delta_encoded);
      break;
    case LatentVariable::kSecondary:
      set_secondary(chunk, variable.delta_encoded);
      break;
  }
  const bool counts_time =
      logical.kind != LogicalKind::kNumber && logical.kind != LogicalKind::kBool &&
      (meaning_ == Meaning::kDifference || logical.kind == LogicalKind::kDuration);
  if (counts_time) set_duration_unit(variable);
}

void LatentScale::set_primary(const ChunkInfo& chunk, bool is_difference) {
  meaning_ = is_difference ? Meaning::kDifference : Meaning::kNumber;
  title_ = is_difference ? difference_title(chunk) : "number";
  is_whole_ = !is_float(type_);
  switch (chunk.mode()) {
    case Mode::kIntMult:
      multiple_ = static_cast<PlotNumber>(std::get<IntMultInfo>(chunk.mode_info).base);
      break;
    case Mode::kFloatMult:
      multiple_ = std::get<FloatMultInfo>(chunk.mode_info).base;
      break;
    case Mode::kFloatQuant:
      shift_ = std::get<FloatQuantInfo>(chunk.mode_info).k;
      multiple_ = std::ldexp(PlotNumber{1}, static_cast<int>(shift_));
      break;
    case Mode::kDict:
      entries_ = std::get<DictInfo>(chunk.mode_info).entries;
      title_ = is_difference ? difference_title(chunk) + ", in places of the dictionary"
                             : "numbers of the dictionary, in its order";
      is_whole_ = true;
      return;
    default:
      break;
  }
  if (is_difference && is_float(type_) && mode_ != Mode::kFloatMult) {
    title_ += ", in steps between neighbouring floats";
    is_whole_ = true;
  }
  if (is_difference || logical_.kind == LogicalKind::kNumber) return;
  if (logical_.kind == LogicalKind::kBool || logical_.kind == LogicalKind::kDuration) {
    title_ = std::string(to_string(logical_.kind));
    return;
  }
  is_time_ = true;
  title_ = logical_.kind == LogicalKind::kTimestamp && !logical_.timezone.empty()
               ? "time in UTC"
               : (logical_.kind == LogicalKind::kDate32 ? "date" : "time");
}

void LatentScale::set_secondary(const ChunkInfo& chunk, bool is_difference) {
  meaning_ = Meaning::kOther;
  switch (chunk.mode()) {
    case Mode::kIntMult:
      title_ = fmt::format("remainder after the multiple of {}",
                           grouped(std::get<IntMultInfo>(chunk.mode_info).base));
      break;
    case Mode::kFloatMult:
      is_centred_ = true;
      title_ = fmt::format("correction of the multiple of {}, in steps between neighbouring floats",
                           shortest(type_, std::get<FloatMultInfo>(chunk.mode_info).base));
      break;
    case Mode::kFloatQuant:
      title_ =
          fmt::format("lowest {} bits of the float", std::get<FloatQuantInfo>(chunk.mode_info).k);
      break;
    default:
      title_ = "secondary latent";
      break;
  }
  mode_ = Mode::kClassic;
  if (is_difference) title_ += ": difference from the one before";
}

void LatentScale::set_duration_unit(const LatentVariableInfo& variable) {
  PlotNumber max = 0;
  for (const BinInfo& bin : variable.bins) {
    const std::optional<Range> range = range_of(bin);
    if (range) max = std::max({max, std::fabs(range->low), std::fabs(range->high)});
  }
  const PlotNumber seconds = max / per_second_;
  PlotNumber unit = 1e-9L;
  for (const PlotNumber length : {1e-6L, 1e-3L, 1.0L, 60.0L, 3600.0L, kPlotSecondsPerDay}) {
    if (seconds >= 2 * length && length * per_second_ >= 0.999L) unit = length;
  }
  unit = std::max(unit, 1 / per_second_);
  const PlotNumber per_unit = unit * per_second_;
  unit_ = 1 / per_unit;
  is_whole_ = per_unit < 1.5L;
  title_ += " in " + unit_name(unit);
}

std::optional<PlotNumber> LatentScale::float_of_ordered(std::uint64_t ordered) const {
  const std::uint64_t top = middle(type_bits());
  const std::uint64_t bits = (ordered & top) != 0 ? ordered ^ top : ~ordered & largest(type_bits());
  const double number = float_of_bits(type_, bits);
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// docs/format/pco.md, FloatMult.
std::optional<PlotNumber> LatentScale::float_of_multiple(std::uint64_t latent) const {
  const unsigned mantissa_bits =
      type_ == NumberType::kF16 ? 10 : (type_ == NumberType::kF32 ? 23 : 52);
  const bool is_positive = latent >= middle(bits_);
  const std::uint64_t count = is_positive ? latent - middle(bits_) : middle(bits_) - 1 - latent;
  const std::uint64_t exact = std::uint64_t{1} << (mantissa_bits + 1);
  double multiple = static_cast<double>(count);
  if (count >= exact) {
    const std::uint64_t exponent_bias = largest(bits_ - 2 - mantissa_bits);
    const std::uint64_t first = (exponent_bias + mantissa_bits + 1) << mantissa_bits;
    multiple = float_of_bits(type_, first + (count - exact));
  }
  const double number = (is_positive ? multiple : -multiple) * static_cast<double>(multiple_);
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<PlotNumber> LatentScale::number_of(PlotNumber latent) const {
  const auto half = static_cast<PlotNumber>(middle(bits_));
  if (is_centred_) return (latent - half) * multiple_ * unit_;
  if (meaning_ != Meaning::kNumber || mode_ == Mode::kDict) return latent;
  if (!is_float(type_)) {
    return (latent * multiple_ - (is_signed(type_) ? half : 0)) * unit_;
  }
  const auto last = static_cast<PlotNumber>(largest(bits_));
  if (mode_ == Mode::kFloatQuant) latent = std::ldexp(latent, static_cast<int>(shift_));
  const auto whole = static_cast<std::uint64_t>(std::min(latent, last));
  return mode_ == Mode::kFloatMult ? float_of_multiple(whole) : float_of_ordered(whole);
}

std::optional<LatentScale::Range> LatentScale::range_of(const BinInfo& bin) const {
  const auto lower = static_cast<PlotNumber>(bin.lower);
  const PlotNumber width = std::ldexp(PlotNumber{1}, static_cast<int>(bin.offset_bits));
  const std::optional<PlotNumber> low = number_of(lower);
  std::optional<PlotNumber> high = number_of(lower + width);
  // A bin may extend from finite numbers into the infinite ones.
  if (!high) high = std::numeric_limits<double>::max();
  if (!low) return std::nullopt;
  return Range{std::min(*low, *high), std::max(*low, *high)};
}

std::string LatentScale::text(PlotNumber number, PlotNumber step) const {
  if (mode_ == Mode::kDict && meaning_ == Meaning::kNumber) {
    if (number < 0 || number >= static_cast<PlotNumber>(entries_.size())) return "";
    const std::uint64_t entry = entries_[static_cast<std::size_t>(number)];
    if (!is_float(type_)) {
      const auto half = static_cast<PlotNumber>(is_signed(type_) ? middle(type_bits()) : 0);
      return grouped_digits(fmt::format("{:.0f}", static_cast<PlotNumber>(entry) - half));
    }
    const std::optional<PlotNumber> value = float_of_ordered(entry);
    return value ? shortest(type_, static_cast<double>(*value)) : "NaN";
  }
  if (is_time_) {
    const PlotNumber bound = std::ldexp(PlotNumber{1}, 62);
    const auto value = static_cast<std::int64_t>(std::clamp(std::round(number), -bound, bound));
    const auto days = static_cast<std::int32_t>(value);
    const bool is_short =
        logical_.kind == LogicalKind::kDate32 || logical_.kind == LogicalKind::kTime32;
    std::string text;
    append_value(
        text, logical_,
        is_short ? NumberView(NumberType::kI32, &days, 1) : NumberView(NumberType::kI64, &value, 1),
        0);
    // Leaves out the part that is the same for all marks.
    if (step >= kPlotSecondsPerDay * per_second_) return text.substr(0, text.find(' '));
    const std::size_t point = text.find('.');
    if (step >= per_second_ && point != std::string::npos) {
      text.erase(point, text.find_first_not_of("0123456789", point + 1) - point);
    }
    return text;
  }
  if (number == 0) return "0";
  if (std::fabs(number) >= kMaxPlainNumber) return fmt::format("{:.6g}", number);
  if (is_whole_) return grouped_digits(fmt::format("{:.0f}", number));
  if (step == 0)
    return shortest(is_float(type_) ? type_ : NumberType::kF64, static_cast<double>(number));
  const int decimals = decimals_of(step);
  if (decimals > kMaxDecimals) return fmt::format("{:.4g}", number);
  std::string text = grouped_digits(fmt::format("{:.{}f}", number, decimals));
  return text == "-0" ? "0" : text;
}

}  // namespace numpact::cli
