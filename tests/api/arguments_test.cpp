// SPDX-License-Identifier: Apache-2.0
// Every EncodeConfig outside the documented ranges is rejected; the limits of the ranges are
// accepted.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

Status attempt(NumberType type, const EncodeConfig& config, std::size_t n = 5) {
  Bytes file;
  return compress(zeros(type, n).view(), config).into(file);
}
Status attempt(NumberType type, const ModeSpec& mode) {
  EncodeConfig config;
  config.mode = mode;
  return attempt(type, config);
}
Status attempt(NumberType type, const DeltaSpec& delta) {
  EncodeConfig config;
  config.delta = delta;
  return attempt(type, config);
}
Status attempt_paging(const PagingSpec& paging, std::size_t n) {
  EncodeConfig config;
  config.paging = paging;
  return attempt(NumberType::kU8, config, n);
}

bool is_float(NumberType type) { return kind_of(type) == NumberKind::kFloat; }

TEST(Arguments, Levels) {
  for (unsigned level = 0; level < 20; ++level) {
    EncodeConfig config;
    config.level = level;
    if (level <= 12) {
      EXPECT_OK(attempt(NumberType::kF32, config));
    } else {
      EXPECT_KIND(attempt(NumberType::kF32, config), kInvalidArgument);
    }
  }
}

TEST(Arguments, ModesByType) {
  for (const NumberType type : kNumberTypes) {
    SCOPED_TRACE(name_of(type));
    const ErrorKind ints = is_float(type) ? ErrorKind::kInvalidArgument : ErrorKind::kNone;
    const ErrorKind floats = is_float(type) ? ErrorKind::kNone : ErrorKind::kInvalidArgument;
    EXPECT_EQ(attempt(type, ModeSpec::try_int_mult(10)).kind(), ints);
    EXPECT_EQ(attempt(type, ModeSpec::try_float_mult(0.5)).kind(), floats);
    EXPECT_EQ(attempt(type, ModeSpec::try_float_quant(3)).kind(), floats);
    EXPECT_OK(attempt(type, ModeSpec::try_dict()));
    EXPECT_OK(attempt(type, ModeSpec::classic()));
    EXPECT_OK(attempt(type, ModeSpec::automatic()));
  }
}

TEST(Arguments, IntMultBases) {
  for (const NumberType type : kNumberTypes) {
    if (is_float(type)) continue;
    SCOPED_TRACE(name_of(type));
    const unsigned bits = static_cast<unsigned>(8 * size_of(type));
    EXPECT_KIND(attempt(type, ModeSpec::try_int_mult(0)), kInvalidArgument);
    EXPECT_OK(attempt(type, ModeSpec::try_int_mult(1)));
    EXPECT_OK(attempt(type, ModeSpec::try_int_mult(~std::uint64_t{0} >> (64 - bits))));
    if (bits < 64) {
      EXPECT_KIND(attempt(type, ModeSpec::try_int_mult(std::uint64_t{1} << bits)),
                  kInvalidArgument);
    }
  }
}

TEST(Arguments, FloatMultBases) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const NumberType type : {NumberType::kF16, NumberType::kF32, NumberType::kF64}) {
    SCOPED_TRACE(name_of(type));
    for (const double base : {0.0, -0.0, inf, -inf, std::nan("")}) {
      EXPECT_KIND(attempt(type, ModeSpec::try_float_mult(base)), kInvalidArgument) << base;
    }
    EXPECT_OK(attempt(type, ModeSpec::try_float_mult(-0.25)));
    EXPECT_OK(attempt(type, ModeSpec::try_float_mult(1e-7)));
  }
  EXPECT_KIND(attempt(NumberType::kF16, ModeSpec::try_float_mult(1e5)), kInvalidArgument);
  EXPECT_KIND(attempt(NumberType::kF16, ModeSpec::try_float_mult(1e-9)), kInvalidArgument);
  EXPECT_KIND(attempt(NumberType::kF32, ModeSpec::try_float_mult(1e39)), kInvalidArgument);
  EXPECT_KIND(attempt(NumberType::kF32, ModeSpec::try_float_mult(1e-46)), kInvalidArgument);
  EXPECT_OK(attempt(NumberType::kF64, ModeSpec::try_float_mult(5e-324)));
  EXPECT_OK(attempt(NumberType::kF64, ModeSpec::try_float_mult(1e308)));
}

TEST(Arguments, FloatQuantBits) {
  const std::pair<NumberType, unsigned> max_k[] = {
      {NumberType::kF16, 10}, {NumberType::kF32, 23}, {NumberType::kF64, 52}};
  for (const auto& [type, k] : max_k) {
    EXPECT_KIND(attempt(type, ModeSpec::try_float_quant(0)), kInvalidArgument);
    EXPECT_OK(attempt(type, ModeSpec::try_float_quant(1)));
    EXPECT_OK(attempt(type, ModeSpec::try_float_quant(k)));
    EXPECT_KIND(attempt(type, ModeSpec::try_float_quant(k + 1)), kInvalidArgument);
    EXPECT_KIND(attempt(type, ModeSpec::try_float_quant(256 + 1)), kInvalidArgument);
  }
}

TEST(Arguments, Deltas) {
  for (const NumberType type : kNumberTypes) {
    SCOPED_TRACE(name_of(type));
    for (unsigned order = 0; order <= 7; ++order) {
      EXPECT_OK(attempt(type, DeltaSpec::try_consecutive(order)));
    }
    EXPECT_KIND(attempt(type, DeltaSpec::try_consecutive(8)), kInvalidArgument);
    EXPECT_OK(attempt(type, DeltaSpec::try_lookback()));
    const ErrorKind conv = size_of(type) == 8 ? ErrorKind::kInvalidArgument : ErrorKind::kNone;
    EXPECT_EQ(attempt(type, DeltaSpec::try_conv1(1)).kind(), conv);
    EXPECT_EQ(attempt(type, DeltaSpec::try_conv1(32)).kind(), conv);
    EXPECT_KIND(attempt(type, DeltaSpec::try_conv1(0)), kInvalidArgument);
    EXPECT_KIND(attempt(type, DeltaSpec::try_conv1(33)), kInvalidArgument);
  }
}

TEST(Arguments, Paging) {
  EXPECT_KIND(attempt_paging(PagingSpec::equal_pages_up_to(0), 5), kInvalidArgument);
  EXPECT_KIND(attempt_paging(PagingSpec::equal_pages_up_to(0), 0), kInvalidArgument);
  EXPECT_OK(attempt_paging(PagingSpec::equal_pages_up_to(1), 5));
  EXPECT_OK(attempt_paging(PagingSpec::equal_pages_up_to(SIZE_MAX), 5));
  EXPECT_OK(attempt_paging(PagingSpec::exact({2, 3}), 5));
  EXPECT_OK(attempt_paging(PagingSpec::exact({}), 0));
  EXPECT_KIND(attempt_paging(PagingSpec::exact({}), 5), kInvalidArgument);
  EXPECT_KIND(attempt_paging(PagingSpec::exact({2, 2}), 5), kInvalidArgument);
  EXPECT_KIND(attempt_paging(PagingSpec::exact({2, 4}), 5), kInvalidArgument);
  EXPECT_KIND(attempt_paging(PagingSpec::exact({5, 0}), 5), kInvalidArgument);
  EXPECT_KIND(attempt_paging(PagingSpec::exact({5, SIZE_MAX, 1}), 5), kInvalidArgument);
  const std::size_t over = (std::size_t{1} << 24) + 1;
  EXPECT_KIND(attempt_paging(PagingSpec::exact({over}), over), kInvalidArgument);
}

TEST(Arguments, ErrorsAreTheSameInEveryEntryPoint) {
  EncodeConfig config;
  config.level = 99;
  const std::vector<float> numbers(5);
  Bytes output(1000);
  EXPECT_KIND(compress_into(numbers, output, config).status(), kInvalidArgument);
  EXPECT_THROW((void)compress(numbers, config).value(), Error);
  EXPECT_THROW((void)compress_into(numbers, output, config).value(), Error);
}

TEST(Arguments, InvalidConfigStillHasABound) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(0);
  EXPECT_GE(compress_bound(NumberType::kU8, 10, config), 10u);
  EXPECT_EQ(compress_bound(NumberType::kF64, SIZE_MAX), SIZE_MAX);
  config.paging = PagingSpec::equal_pages_up_to(1);
  EXPECT_EQ(compress_bound(NumberType::kU8, SIZE_MAX, config), SIZE_MAX);
}

}  // namespace
}  // namespace numpact::testing
