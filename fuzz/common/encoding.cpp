// SPDX-License-Identifier: Apache-2.0
#include "common/encoding.hpp"

#include <bit>

namespace numpact::fuzz {
namespace {

ModeSpec draw_mode(Draw& draw, NumberType type) {
  const bool is_float = kind_of(type) == NumberKind::kFloat;
  constexpr double kBases[] = {0.01, 0.1, 1.0, 1e-5, 3.0, -0.5, 1e10};
  switch (draw.below(6)) {
    default:
      return ModeSpec::automatic();
    case 1:
      return ModeSpec::classic();
    case 2:
      return ModeSpec::try_dict();
    case 3:
      if (!is_float) return ModeSpec::try_int_mult(draw.bits(draw.flag() ? 1 : 8));
      return ModeSpec::try_float_mult(draw.flag() ? std::bit_cast<double>(draw.bits(8))
                                                  : draw.pick(kBases));
    case 4:
      if (!is_float) return ModeSpec::try_int_mult(draw.bits(2));
      return ModeSpec::try_float_quant(static_cast<unsigned>(draw.below(54)));
    case 5:
      // Perhaps not of this type.
      return draw.flag() ? ModeSpec::try_float_quant(static_cast<unsigned>(draw.below(60)))
                         : ModeSpec::try_int_mult(draw.bits(1));
  }
}

DeltaSpec draw_delta(Draw& draw) {
  switch (draw.below(6)) {
    default:
      return DeltaSpec::automatic();
    case 1:
      return DeltaSpec::none();
    case 2:
      return DeltaSpec::try_consecutive(static_cast<unsigned>(draw.below(9)));
    case 3:
      return DeltaSpec::try_lookback();
    case 4:
      return DeltaSpec::try_conv1(static_cast<unsigned>(draw.below(34)));
  }
}

PagingSpec draw_paging(Draw& draw, std::size_t n) {
  switch (draw.below(4)) {
    default:
      return PagingSpec::automatic();
    case 1:
      // Few enough pages that metadata does not dominate the file.
      return PagingSpec::equal_pages_up_to(n / 40 + draw.below(n + 2));
    case 2: {
      std::vector<std::size_t> sizes;
      for (std::size_t left = n; left > 0;) {
        sizes.push_back(std::min(left, n / 40 + 1 + draw.below(n)));
        left -= sizes.back();
      }
      if (draw.one_in(16)) sizes.push_back(draw.below(3));
      return PagingSpec::exact(std::move(sizes));
    }
  }
}

}  // namespace

TrailerSpec draw_trailer(Draw& draw) {
  return draw.flag() ? TrailerSpec::index()
                     : TrailerSpec::restarts(8 + static_cast<unsigned>(draw.below(3)));
}

EncodeConfig draw_config(Draw& draw, NumberType type, std::size_t n) {
  EncodeConfig config;
  config.level = static_cast<unsigned>(draw.below(kMaxLevel + 2));
  config.mode = draw_mode(draw, type);
  config.delta = draw_delta(draw);
  config.paging = draw_paging(draw, n);
  if (draw.one_in(4)) config.compatibility = static_cast<Compatibility>(draw.below(5));
  config.favor_decode_speed = draw.one_in(4);
  config.uniform_type = !draw.one_in(4);
  if (draw.one_in(4)) config.trailer = draw_trailer(draw);
  return config;
}

Encoded draw_encoded(Draw& draw, std::size_t max_n, const EncodeOptions& options) {
  Encoded encoded;
  const NumberType type = draw_type(draw);
  encoded.numbers = draw_numbers(draw, type, max_n);
  encoded.config = draw_config(draw, type, encoded.numbers.count());
  if (options.trailer) encoded.config.trailer = *options.trailer;
  Status status = compress(encoded.numbers.view(), encoded.config).into(encoded.file);
  if (!status.ok()) {
    NUMPACT_REQUIRE(status.kind() == ErrorKind::kInvalidArgument);
    const unsigned level = std::min(encoded.config.level, kMaxLevel);
    encoded.config = {};
    encoded.config.level = level;
    if (options.trailer) encoded.config.trailer = *options.trailer;
    status = compress(encoded.numbers.view(), encoded.config).into(encoded.file);
    NUMPACT_REQUIRE(status.ok());
  }
  return encoded;
}

}  // namespace numpact::fuzz
