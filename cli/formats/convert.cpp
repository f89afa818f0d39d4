// SPDX-License-Identifier: Apache-2.0
#include "formats/convert.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "failure.hpp"
#include "numbers/dispatch.hpp"
#include "numbers/number_text.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

template <class T>
inline constexpr bool kIsFloat = std::is_same_v<T, Float16> || std::is_floating_point_v<T>;

// The smallest value of an integer type, and one past its largest.
template <class T>
constexpr double upper_end() {
  return 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
}
template <class T>
constexpr double lower_end() {
  return std::is_signed_v<T> ? -upper_end<T>() : 0.0;
}

double widen(Float16 number) { return static_cast<double>(to_float(number)); }
double widen(float number) { return static_cast<double>(number); }
double widen(double number) { return number; }

template <class To>
To narrow(double number) {
  if constexpr (std::is_same_v<To, Float16>) {
    return to_float16(static_cast<float>(number));
  } else {
    return static_cast<To>(number);
  }
}

// Sets `out`. Returns whether it equals `in` exactly.
template <class From, class To>
bool convert_one(From in, To& out) {
  if constexpr (kIsFloat<From> && kIsFloat<To>) {
    const double wide = widen(in);
    out = narrow<To>(wide);
    return std::isnan(wide) || widen(out) == wide;
  } else if constexpr (kIsFloat<From>) {
    const double wide = widen(in);
    if (!(wide >= lower_end<To>() && wide < upper_end<To>())) return false;
    out = static_cast<To>(wide);
    return static_cast<double>(out) == wide && !(wide == 0 && std::signbit(wide));
  } else if constexpr (kIsFloat<To>) {
    out = narrow<To>(static_cast<double>(in));
    From back{};
    return convert_one(out, back) && back == in;
  } else {
    if (!std::in_range<To>(in)) return false;
    out = static_cast<To>(in);  // NOLINT(bugprone-signed-char-misuse): a number it is
    return true;
  }
}

class Converted final : public NumberInput {
 public:
  Converted(std::unique_ptr<NumberInput> input, NumberType to, Conversion conversion,
            std::string place)
      : input_(std::move(input)), to_(to), conversion_(conversion), place_(std::move(place)) {}

  NumberView next() override {
    const NumberView in = input_->next();
    numbers_.resize((in.count * size_of(to_) + 7) / 8);
    with_type(in.type, [&](auto from_tag) {
      with_type(to_, [&](auto to_tag) {
        using From = typename decltype(from_tag)::type;
        using To = typename decltype(to_tag)::type;
        convert(static_cast<const From*>(in.data), reinterpret_cast<To*>(numbers_.data()),
                in.count);
      });
    });
    done_ += in.count;
    return {to_, numbers_.data(), in.count};
  }

  std::optional<std::uint64_t> count() const override { return input_->count(); }
  std::uint64_t null_count() const override { return input_->null_count(); }
  NullRuns* null_runs() override { return input_->null_runs(); }

 private:
  template <class From, class To>
  void convert(const From* in, To* out, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      To number{};
      if (!convert_one(in[i], number) && conversion_ == Conversion::kExact) {
        std::string text;
        append_number(text, NumberView(kNumberTypeOf<From>, in + i, 1), 0);
        fail(place_, "{} (number {}) does not fit {}", text, done_ + i, name_of(kNumberTypeOf<To>));
      }
      std::memcpy(out + i, &number, sizeof(To));
    }
  }

  std::unique_ptr<NumberInput> input_;
  NumberType to_;
  Conversion conversion_;
  std::string place_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t done_ = 0;
};

}  // namespace

std::unique_ptr<NumberInput> convert_numbers(std::unique_ptr<NumberInput> input, NumberType from,
                                             NumberType to, Conversion conversion,
                                             std::string place) {
  if (from == to) return input;
  return std::make_unique<Converted>(std::move(input), to, conversion, std::move(place));
}

}  // namespace numpact::cli
