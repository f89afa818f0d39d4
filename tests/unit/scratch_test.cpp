// SPDX-License-Identifier: Apache-2.0
// Encoding keeps within the scratch memory that a build without exceptions asks for in advance.
#include "pco/encode/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/arena.hpp"
#include "base/byte_output.hpp"
#include "base/internal.hpp"
#include "pco/encode/run_encoder.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

constexpr std::byte kPaint{0xa5};
// The unused share of the bound, in every case.
constexpr std::uint64_t kMarginDenominator = 4;

// The most bytes of the arena's block in use while the numbers were encoded. The block is as large
// as the bound: an encoder that needs more passes the limit.
std::size_t used_bytes(const Numbers& numbers, unsigned level) {
  const std::uint64_t bound = encoding_bytes(numbers.type(), numbers.count(), level);
  Arena arena(std::pmr::new_delete_resource());
  const std::span<std::byte> block = arena.make<std::byte>(static_cast<std::size_t>(bound));
  std::fill(block.begin(), block.end(), kPaint);
  arena.reset(arena.capacity());
  std::vector<std::byte> out(numbers.count() * size_of(numbers.type()) + 4096);
  ByteOutput output(out);
  EncodeConfig config;
  config.level = level;
  EXPECT_OK(write_run(part(numbers, 0, numbers.count()), config, arena, output));
  const auto last =
      std::find_if(block.rbegin(), block.rend(), [](std::byte byte) { return byte != kPaint; });
  return static_cast<std::size_t>(block.rend() - last);
}

class Scratch : public ::testing::TestWithParam<unsigned> {};

TEST_P(Scratch, IsWithinItsBound) {
  const unsigned level = GetParam();
  Random random(11);
  for (const NumberType type :
       {NumberType::kU8, NumberType::kF16, NumberType::kI32, NumberType::kF32, NumberType::kF64}) {
    for (const std::string_view name : distribution_names()) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 16}) {
        const Numbers numbers = make_numbers(name, type, n, random);
        const std::uint64_t bound = encoding_bytes(type, n, level);
        const std::size_t used = used_bytes(numbers, level);
        EXPECT_LE(used, bound - bound / kMarginDenominator)
            << name << ", " << n << " numbers of type " << static_cast<int>(type);
      }
    }
  }
}

// The fastest, the default and the smallest.
INSTANTIATE_TEST_SUITE_P(Levels, Scratch, ::testing::Values(0U, 8U, 12U));

}  // namespace
}  // namespace numpact::testing
