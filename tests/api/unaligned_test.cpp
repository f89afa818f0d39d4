// SPDX-License-Identifier: Apache-2.0
// Numbers in memory of any alignment, to and from every entry point.
#include <gtest/gtest.h>

#include <cstring>

#include "numpact/numpact.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kN = 3000;

// Room for numbers at an address of the given remainder, between guards.
class Shifted {
 public:
  Shifted(NumberType type, std::size_t n, std::size_t shift)
      : type_(type), n_(n), shift_(shift), memory_(kMaxShift + n * size_of(type) + 1, kGuard) {}
  Shifted(const Numbers& numbers, std::size_t shift)
      : Shifted(numbers.type(), numbers.count(), shift) {
    std::memcpy(data(), numbers.data(), n_ * size_of(type_));
  }

  std::byte* data() { return memory_.data() + shift_; }
  NumberView view() { return {type_, data(), n_}; }
  MutableNumberView mutable_view() { return {type_, data(), n_}; }
  void expect(const Numbers& numbers, std::size_t first = 0) {
    const std::size_t bytes = n_ * size_of(type_);
    const auto* const expected =
        static_cast<const std::byte*>(numbers.data()) + first * size_of(type_);
    EXPECT_EQ(std::memcmp(data(), expected, bytes), 0);
    for (std::size_t i = 0; i < shift_; ++i) EXPECT_EQ(memory_[i], kGuard);
    for (std::size_t i = shift_ + bytes; i < memory_.size(); ++i) EXPECT_EQ(memory_[i], kGuard);
  }

 private:
  static constexpr std::size_t kMaxShift = 8;
  static constexpr std::byte kGuard{0xa5};

  NumberType type_;
  std::size_t n_;
  std::size_t shift_;
  std::vector<std::byte> memory_;
};

class Unaligned : public ::testing::TestWithParam<NumberType> {};

std::vector<EncodeConfig> configs_of(NumberType type) {
  std::vector<EncodeConfig> configs(4);
  configs[0].paging = PagingSpec::exact({1000, 1, 1999});
  configs[0].trailer = TrailerSpec::restarts(8);
  configs[1].delta = DeltaSpec::try_consecutive(1);
  configs[2].delta = DeltaSpec::try_lookback();
  configs[3].mode = ModeSpec::try_dict();
  if (kind_of(type) == NumberKind::kFloat) {
    configs.emplace_back().mode = ModeSpec::try_float_mult(0.25);
  }
  return configs;
}

TEST_P(Unaligned, OneShotStreamsAndRanges) {
  const NumberType type = GetParam();
  Random random(811);
  for (const char* const distribution : {"walk", "few-values", "constant"}) {
    const Numbers numbers = make_numbers(distribution, type, kN, random);
    for (const EncodeConfig& config : configs_of(type)) {
      const Bytes file = compressed(numbers, config);
      for (std::size_t shift = 0; shift < size_of(type); ++shift) {
        Shifted in(numbers, shift);
        EXPECT_TRUE(same_bytes(compress(in.view(), config).value(), file));
        Shifted out(type, kN, shift);
        EXPECT_EQ(decompress_into(file, out.mutable_view()).value(), kN);
        out.expect(numbers);
        Shifted front(type, 777, shift);
        EXPECT_EQ(decompress_front(file, front.mutable_view()).value().count, 777u);
        front.expect(numbers);
        Shifted part(type, 1500, shift);
        ASSERT_OK(FileReader::create(file).value().read(990, part.mutable_view()));
        part.expect(numbers, 990);
      }
    }
  }
}

TEST_P(Unaligned, Streams) {
  const NumberType type = GetParam();
  Random random(812);
  const Numbers numbers = make_numbers("walk", type, kN, random);
  for (std::size_t shift = 0; shift < size_of(type); ++shift) {
    Shifted in(numbers, shift);
    Bytes file;
    VectorSink sink(file);
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(700);
    StreamWriter writer(sink, type, config);
    ASSERT_OK(writer.write(in.view()));
    ASSERT_OK(writer.finish());
    MemorySource source(file, 100);
    StreamReader reader(source);
    Shifted out(type, kN, shift);
    EXPECT_EQ(reader.read(out.mutable_view()).value(), kN);
    out.expect(numbers);
  }
}

TEST_P(Unaligned, Pages) {
  const NumberType type = GetParam();
  Random random(813);
  const Numbers numbers = make_numbers("walk", type, kN, random);
  for (std::size_t shift = 0; shift < size_of(type); ++shift) {
    Shifted in(numbers, shift);
    const auto encoder = wrapped::ChunkEncoder::create(in.view()).value();
    const auto decoder =
        wrapped::ChunkDecoder::create(encoder.meta().value(), type, wrapped::kCurrentVersion)
            .value();
    Shifted out(type, kN, shift);
    (void)decoder.decode_page(encoder.page(0).value(), kN, out.mutable_view()).value();
    out.expect(numbers);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Unaligned, ::testing::ValuesIn(kNumberTypes),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace numpact::testing
