// SPDX-License-Identifier: Apache-2.0
#include "numpact/lossy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "api/decode_checks.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "number/float_traits.hpp"
#include "number/rounding.hpp"
#include "numpact/estimate.hpp"

namespace numpact {
namespace {

// Numbers that steps are chosen by: windows all over an array, long enough to show how neighbours
// differ. Estimates look at no more.
constexpr std::size_t kSampleN = std::size_t{1} << 16;
constexpr std::size_t kWindows = 8;
// Rounding that saves a smaller share of the bytes is not worth its errors. Estimates of equal
// sizes differ by less.
constexpr double kMinSaving = 1.0 / 512;
// Bounds of integers: a step of twice as much and one more still fits into 64 bits.
constexpr double kMaxWholeBound = 0x1p62;

std::vector<std::byte> sample_of(const NumberView& numbers) {
  const auto* const first = static_cast<const std::byte*>(numbers.data);
  const std::size_t size = size_of(numbers.type);
  if (numbers.count <= kSampleN) return {first, first + numbers.count * size};
  std::vector<std::byte> sample;
  sample.reserve(kSampleN * size);
  constexpr std::size_t kWindowN = kSampleN / kWindows;
  const std::size_t distance = (numbers.count - kWindowN) / (kWindows - 1);
  for (std::size_t i = 0; i < kWindows; ++i) {
    const std::byte* const window = first + i * distance * size;
    sample.insert(sample.end(), window, window + kWindowN * size);
  }
  return sample;
}

// Steps of floats whose half is at most the bound: twice the bound, the largest power of two, and
// the largest 1, 2 or 5 times a power of ten. The latter keeps decimals that are in the numbers,
// and the power of two has no rounded products; of 360 columns and bounds each was the best of a
// part.
std::vector<double> float_steps(double bound) {
  const double largest = 2 * bound;
  int exponent = 0;
  if (!(largest > 0) || std::isinf(largest)) return {};
  static_cast<void>(std::frexp(largest, &exponent));
  std::vector<double> steps = {largest};
  const auto add = [&](double step) {
    if (step > 0 && std::find(steps.begin(), steps.end(), step) == steps.end()) {
      steps.push_back(step);
    }
  };
  add(std::ldexp(1.0, exponent - 1));
  bool has_simple = false;
  for (int power = RoundingSpec::kMaxDecimals; power >= -RoundingSpec::kMaxDecimals; --power) {
    const double scale = internal::kPowersOfTen[std::abs(power)];
    for (const double times : {5.0, 2.0, 1.0}) {
      const double step = power < 0 ? times / scale : times * scale;
      if (step > largest || (has_simple && times != 1.0)) continue;
      add(step);
      has_simple = true;
    }
    if (has_simple && (power < 0 ? 1 / scale : scale) <= largest) break;
  }
  return steps;
}

// The same of integers; half of an odd step is one less.
std::vector<std::uint64_t> whole_steps(std::uint64_t bound) {
  const std::uint64_t largest = 2 * bound + 1;
  std::vector<std::uint64_t> steps = {largest};
  const auto add = [&](std::uint64_t step) {
    if (step > 1 && std::find(steps.begin(), steps.end(), step) == steps.end()) {
      steps.push_back(step);
    }
  };
  std::uint64_t power = 1;
  while (power <= bound) power *= 2;
  add(power);
  std::uint64_t ten = 1;
  while (ten <= largest / 10) ten *= 10;
  for (const std::uint64_t times : {5, 2, 1}) {
    if (ten > largest / times) continue;
    add(times * ten);
    break;
  }
  add(ten);
  return steps;
}

std::uint64_t whole_bound(double bound) {
  return static_cast<std::uint64_t>(std::min(std::floor(bound), kMaxWholeBound));
}

internal::RoundingRule rule_of(const RoundingSpec& spec, NumberType type, double step) {
  using Kind = RoundingSpec::Kind;
  internal::RoundingRule rule;
  if (spec.has_fill()) {
    std::uint64_t bits = 0;  // of the type's width, on machines of any byte order
    const std::uint64_t stored = spec.fill_bits();
    const std::size_t size = size_of(type);
    if (size == 1) {
      std::uint8_t byte = 0;
      std::memcpy(&byte, &stored, 1);
      bits = byte;
    } else if (size == 2) {
      std::uint16_t half = 0;
      std::memcpy(&half, &stored, 2);
      bits = half;
    } else if (size == 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &stored, 4);
      bits = word;
    } else {
      bits = stored;
    }
    rule.fill = bits;
  }
  const bool is_float = kind_of(type) == NumberKind::kFloat;
  if (spec.kind() == Kind::kKeepBits) {
    rule.kind = internal::RoundingRule::Kind::kBits;
    rule.bits = static_cast<unsigned>(spec.digits());
  } else if (spec.kind() == Kind::kDecimals && is_float) {
    rule.kind = internal::RoundingRule::Kind::kDecimal;
    rule.decimals = spec.digits();
  } else {
    rule.step = step;
    rule.bound = spec.bound();
    rule.whole_step = static_cast<std::uint64_t>(step);
    rule.whole_bound =
        spec.kind() == Kind::kDecimals ? rule.whole_step / 2 : whole_bound(spec.bound());
  }
  return rule;
}

Status check_spec(const RoundingSpec& spec, NumberType type) {
  using Kind = RoundingSpec::Kind;
  NUMPACT_TRY(check_number_type(type));
  if (spec.has_fill() && spec.fill_type() != type) {
    return Status(ErrorKind::kTypeMismatch, "the fill value has another type than the numbers");
  }
  const bool is_float = kind_of(type) == NumberKind::kFloat;
  if (spec.kind() == Kind::kMaxError && !(spec.bound() >= 0 && std::isfinite(spec.bound()))) {
    return Status(ErrorKind::kInvalidArgument, "the largest error must be a number from 0 on");
  }
  if (spec.kind() == Kind::kKeepBits) {
    if (!is_float) {
      return Status(ErrorKind::kTypeMismatch, "integers have no mantissa whose bits are kept");
    }
    const auto most = static_cast<int>(internal::mantissa_bits(internal::latent_bits(type)));
    if (spec.digits() < 0 || spec.digits() > most) {
      return Status(ErrorKind::kInvalidArgument, "there are not as many bits in the mantissa");
    }
  }
  if (spec.kind() == Kind::kDecimals && std::abs(spec.digits()) > RoundingSpec::kMaxDecimals) {
    return Status(ErrorKind::kInvalidArgument, "decimals must be within -22 to 22");
  }
  return {};
}

// The step of a request that names it; 0: numbers stay.
double stated_step(const RoundingSpec& spec, NumberType type) {
  if (spec.kind() != RoundingSpec::Kind::kDecimals) return 0;
  const double scale = internal::kPowersOfTen[std::abs(spec.digits())];
  if (kind_of(type) == NumberKind::kFloat) return spec.digits() < 0 ? scale : 1 / scale;
  // Powers of ten beyond 64 bits round all integers to zero, or have no multiple in the type.
  return spec.digits() < 0 && scale < kMaxWholeBound ? scale : 0;
}

}  // namespace

Rounder::Rounder(const RoundingSpec& spec, NumberType type, const EncodeConfig& encode)
    : spec_(spec), type_(type), encode_(encode) {
  // Estimates need neither.
  encode_.progress = {};
  encode_.recipe = nullptr;
  encode_.paging = {};
  encode_.max_bytes.reset();
  report_.step = stated_step(spec, type);
}

Result<Rounder> Rounder::create(const RoundingSpec& spec, NumberType type,
                                const EncodeConfig& encode) noexcept {
  std::optional<Rounder> made;
  const Status status = internal::guarded([&]() -> Status {
    NUMPACT_TRY(check_spec(spec, type));
    made = Rounder(spec, type, encode);
    return {};
  });
  if (!status.ok()) return status;
  return *std::move(made);
}

// Estimates the size of a sample after rounding by each step.
Status Rounder::choose_step(const NumberView& numbers) {
  const std::vector<std::byte> sample = sample_of(numbers);
  const std::size_t count = numbers_in(sample.size(), type_);
  std::vector<std::byte> rounded(sample.size());
  const NumberView original(type_, sample.data(), count);
  SizeEstimate estimate;
  NUMPACT_TRY(estimate_size(original, encode_).into(estimate));
  double best = static_cast<double>(estimate.bytes) * (1 - kMinSaving);
  const auto attempt = [&](double step) -> Status {
    internal::RoundingTally tally;
    internal::round_numbers(original, rounded.data(), rule_of(spec_, type_, step), tally);
    if (tally.changed == 0) return {};
    NUMPACT_TRY(estimate_size({type_, rounded.data(), count}, encode_).into(estimate));
    if (static_cast<double>(estimate.bytes) >= best) return {};
    best = static_cast<double>(estimate.bytes);
    report_.step = step;
    return {};
  };
  if (kind_of(type_) == NumberKind::kFloat) {
    for (const double step : float_steps(spec_.bound())) NUMPACT_TRY(attempt(step));
    return {};
  }
  const std::uint64_t bound = whole_bound(spec_.bound());
  if (bound == 0) return {};
  for (const std::uint64_t step : whole_steps(bound)) {
    // A step that a double does not hold would be another one.
    const auto stated = static_cast<double>(step);
    if (static_cast<std::uint64_t>(stated) == step) NUMPACT_TRY(attempt(stated));
  }
  return {};
}

Status Rounder::round(const NumberView& numbers, const MutableNumberView& out) noexcept {
  return internal::guarded([&]() -> Status {
    NUMPACT_TRY(check_view(numbers));
    NUMPACT_TRY(check_view(out));
    if (numbers.type != type_ || out.type != type_) {
      return Status(ErrorKind::kTypeMismatch, "the numbers have another type than the rounding");
    }
    if (out.count < numbers.count) {
      return Status(ErrorKind::kOutputTooSmall, "the output has fewer numbers");
    }
    if (numbers.count == 0) return {};
    const std::uint64_t total = report_.count + numbers.count;
    const bool chooses = spec_.kind() == RoundingSpec::Kind::kMaxError && report_.step == 0;
    if (chooses && total >= choose_at_) {
      NUMPACT_TRY(choose_step(numbers));
      choose_at_ = 2 * total;
    }
    report_.count = total;
    if (report_.step == 0 && spec_.kind() != RoundingSpec::Kind::kKeepBits) {
      if (out.data != numbers.data) {
        std::memcpy(out.data, numbers.data, numbers.count * size_of(type_));
      }
      return {};
    }
    internal::RoundingTally tally;
    internal::round_numbers(numbers, out.data, rule_of(spec_, type_, report_.step), tally);
    report_.changed += tally.changed;
    report_.kept += tally.kept;
    report_.max_error = std::max(report_.max_error, tally.max_error);
    return {};
  });
}

}  // namespace numpact
