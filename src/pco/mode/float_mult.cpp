// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/float_mult.hpp"
#include "pco/mode/refuse_integers.hpp"

namespace numpact::internal {
namespace {

template <class F>
decltype(auto) visit_float(NumberType type, F&& f) {
  if (type == NumberType::kF16) return f(std::uint16_t{});
  if (type == NumberType::kF32) return f(std::uint32_t{});
  return f(std::uint64_t{});
}

}  // namespace

Status FloatMult::check_request(const ModeSpec& spec, NumberType type) {
  if (kind_of(type) != NumberKind::kFloat) {
    return invalid_request("float-mult does not apply to integers");
  }
  if (!requested(spec, type).is_valid(type)) {
    return invalid_request("float-mult base must be finite and not zero in the number type");
  }
  return {};
}

Status FloatMult::parse(BitReader& reader, const ModeContext& context, FloatMult& out) {
  if (kind_of(context.type) != NumberKind::kFloat) return refuse_integers(reader);
  const std::uint64_t latent = reader.read(latent_bits(context.type));
  out.base_bits = visit_float(context.type, [&](auto width) -> std::uint64_t {
    using L = decltype(width);
    return from_ordered(static_cast<L>(latent), NumberKind::kFloat);
  });
  if (!out.is_valid(context.type)) {
    return reader.corrupt("FloatMult base is zero or not finite");
  }
  return {};
}

void FloatMult::write(BitWriter& writer, NumberType type) const {
  visit_float(type, [&](auto width) {
    using L = decltype(width);
    writer.write(to_ordered(static_cast<L>(base_bits), NumberKind::kFloat), kBits<L>);
  });
}

double FloatMult::base(NumberType type) const {
  return visit_float(type, [&](auto width) -> double {
    using L = decltype(width);
    return static_cast<double>(FloatTraits<L>::to_arithmetic(static_cast<L>(base_bits)));
  });
}

FloatMult FloatMult::of(double base, NumberType type) {
  return visit_float(type, [&](auto width) {
    using L = decltype(width);
    using Arithmetic = typename FloatTraits<L>::Arithmetic;
    return FloatMult{FloatTraits<L>::to_bits(static_cast<Arithmetic>(base))};
  });
}

bool FloatMult::is_valid(NumberType type) const {
  return visit_float(type, [&](auto width) {
    using L = decltype(width);
    const L magnitude = static_cast<L>(base_bits & (kMid<L> - 1));
    return magnitude != 0 && magnitude < kInfinityBits<L>;
  });
}

}  // namespace numpact::internal
