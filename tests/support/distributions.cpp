// SPDX-License-Identifier: Apache-2.0
#include "support/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/half.hpp"

namespace numpact::testing {
namespace {

struct Float {
  unsigned mantissa;  // stored bits
  unsigned bits;

  explicit Float(NumberType type)
      : mantissa(size_of(type) == 2   ? 10
                 : size_of(type) == 4 ? 23
                                      : 52),
        bits(static_cast<unsigned>(8 * size_of(type))) {}
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return (sign() - 1) >> mantissa << mantissa; }
  std::uint64_t low() const { return (std::uint64_t{1} << mantissa) - 1; }
};

bool is_float(NumberType type) { return kind_of(type) == NumberKind::kFloat; }

// The representable number nearest to a real value; integers wrap.
std::uint64_t near(NumberType type, double value) {
  if (type == NumberType::kF64) return std::bit_cast<std::uint64_t>(value);
  if (type == NumberType::kF32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == NumberType::kF16) return half_bits(value);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

using Bits = std::vector<std::uint64_t>;
using Maker = void (*)(NumberType, Random&, Bits&);

void uniform(NumberType, Random& random, Bits& out) {
  for (auto& x : out) x = random.bits();
}
void constant(NumberType, Random& random, Bits& out) {
  std::fill(out.begin(), out.end(), random.bits());
}
void few_values(NumberType, Random& random, Bits& out) {
  Bits values(random.between(2, 12));
  for (auto& value : values) value = random.bits();
  for (auto& x : out) x = random.one_in(3) ? values[0] : random.pick(values);
}
void small(NumberType type, Random& random, Bits& out) {
  for (auto& x : out) x = near(type, std::round(random.normal() * 10));
}
void walk(NumberType type, Random& random, Bits& out) {
  double at = 100;
  for (auto& x : out) x = near(type, std::round(at += random.normal() * 3));
}
void smooth(NumberType type, Random& random, Bits& out) {
  const double phase = random.unit();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = near(type, 100 * std::sin(phase + static_cast<double>(i) / 20));
  }
}
void multiples(NumberType type, Random& random, Bits& out) {
  const double base = static_cast<double>(random.between(2, 100));
  for (auto& x : out) x = near(type, base * static_cast<double>(random.below(1000)));
}
void decimals(NumberType type, Random& random, Bits& out) {
  for (auto& x : out) x = near(type, static_cast<double>(random.below(5000)) / 100);
}
void noisy_decimals(NumberType type, Random& random, Bits& out) {
  for (auto& x : out) {
    x = near(type, static_cast<double>(random.below(5000)) * 0.01) + random.below(3);
  }
}
void sorted(NumberType type, Random& random, Bits& out) {
  std::vector<double> values(out.size());
  for (auto& value : values) value = std::floor(std::abs(random.normal()) * 1e4);
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = near(type, values[i]);
}
void quantised(NumberType type, Random& random, Bits& out) {
  if (!is_float(type)) return uniform(type, random, out);
  const unsigned dropped = Float(type).mantissa - 4;
  for (auto& x : out) {
    x = near(type, random.normal() * 8) >> dropped << dropped;
    if (random.one_in(20)) x += random.bits(2);
  }
}
void nans(NumberType type, Random& random, Bits& out) {
  if (!is_float(type)) return uniform(type, random, out);
  const Float format(type);
  for (auto& x : out) {
    x = random.one_in(3) ? near(type, random.normal())
                         : (format.infinity() | (1 + (random.bits() & format.low() & ~1ull)) |
                            (random.one_in(2) ? format.sign() : 0));
  }
}
void specials(NumberType type, Random& random, Bits& out) {
  if (!is_float(type)) return uniform(type, random, out);
  const Float format(type);
  const Bits values = {0,
                       format.sign(),
                       format.infinity(),
                       format.infinity() | format.sign(),
                       format.infinity() | 1,
                       near(type, 1),
                       near(type, -1),
                       1,
                       format.sign() | 1,
                       format.infinity() - 1};
  for (auto& x : out) x = random.pick(values);
}
void subnormals(NumberType type, Random& random, Bits& out) {
  if (!is_float(type)) return uniform(type, random, out);
  const Float format(type);
  for (auto& x : out) {
    x = (random.bits() & format.low()) | (random.one_in(2) ? format.sign() : 0);
  }
}
void extremes(NumberType type, Random& random, Bits& out) {
  const unsigned bits = static_cast<unsigned>(8 * size_of(type));
  const std::uint64_t middle = std::uint64_t{1} << (bits - 1);
  const Bits values = {
      0, 1, middle - 1, middle, middle + 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
  for (auto& x : out) x = random.pick(values);
}
void repeats(NumberType type, Random& random, Bits& out) {
  const std::size_t distance = random.between(2, 60);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool fresh = i < distance || random.one_in(40);
    out[i] = fresh ? near(type, std::round(random.normal() * 1e4)) : out[i - distance];
  }
}
void outliers(NumberType type, Random& random, Bits& out) {
  for (auto& x : out) x = random.one_in(50) ? random.bits() : near(type, 40.0 + random.unit());
}
void segments(NumberType type, Random& random, Bits& out) {
  std::size_t i = 0;
  while (i < out.size()) {
    const auto end =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), i + random.between(1, 400)));
    const std::uint64_t centre = random.bits();
    const unsigned width = static_cast<unsigned>(random.below(8 * size_of(type) + 1));
    for (; i < end; ++i) out[i] = centre + random.bits(width);
  }
}

struct Named {
  std::string_view name;
  Maker make;
};
constexpr Named kMakers[] = {{"uniform", uniform},
                             {"constant", constant},
                             {"few-values", few_values},
                             {"small", small},
                             {"walk", walk},
                             {"smooth", smooth},
                             {"multiples", multiples},
                             {"decimals", decimals},
                             {"noisy-decimals", noisy_decimals},
                             {"sorted", sorted},
                             {"quantised", quantised},
                             {"nans", nans},
                             {"specials", specials},
                             {"subnormals", subnormals},
                             {"extremes", extremes},
                             {"repeats", repeats},
                             {"outliers", outliers},
                             {"segments", segments}};

}  // namespace

const std::vector<std::string_view>& distribution_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Named& named : kMakers) result.push_back(named.name);
    return result;
  }();
  return names;
}

Numbers make_numbers(std::string_view distribution, NumberType type, std::size_t n,
                     Random& random) {
  for (const Named& named : kMakers) {
    if (named.name != distribution) continue;
    Bits bits(n);
    named.make(type, random, bits);
    return from_bits(type, bits);
  }
  throw std::invalid_argument(std::string(distribution));
}

}  // namespace numpact::testing
