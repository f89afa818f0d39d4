// SPDX-License-Identifier: Apache-2.0
// The bit writer and reader against a vector of bits.
#include <gtest/gtest.h>

#include "base/internal.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "naive.hpp"
#include "support/numbers.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

struct Item {
  std::uint64_t value;
  unsigned bits;
  bool finish;  // pad to a byte afterwards
};

constexpr unsigned kEdges[] = {0, 1, 8, 63, 64};

std::vector<Item> random_items(Random& random) {
  std::vector<Item> items(random.below(80));
  for (Item& item : items) {
    item.bits = random.one_in(4) ? random.pick(kEdges) : static_cast<unsigned>(random.below(65));
    item.value = random.bits(item.bits);
    item.finish = random.one_in(12);
  }
  return items;
}

Bytes naive_bytes(const std::vector<Item>& items) {
  BitVector bits;
  for (const Item& item : items) {
    put_bits(bits, item.value, item.bits);
    if (item.finish) bits.resize((bits.size() + 7) / 8 * 8);
  }
  return pack(bits);
}

void write_items(const std::vector<Item>& items, BitWriter& writer) {
  for (const Item& item : items) {
    writer.write(item.value, item.bits);
    if (item.finish) writer.finish_byte();
  }
  writer.finish_byte();
}

TEST(BitWriter, MatchesABitVector) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Item> items = random_items(random);
    const Bytes expected = naive_bytes(items);
    for (const std::size_t spare : {0u, 1u, 7u, 8u, 100u}) {
      ExactCopy buffer{Bytes(expected.size() + spare)};
      BitWriter writer(buffer.writable());
      write_items(items, writer);
      ASSERT_OK(writer.status());
      ASSERT_EQ(writer.size(), expected.size());
      ASSERT_TRUE(same_bytes(buffer.span().first(writer.size()), expected));
    }
  }
}

TEST(BitWriter, SmallBuffersAreReported) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Item> items = random_items(random);
    const Bytes expected = naive_bytes(items);
    if (expected.empty()) continue;
    const std::size_t size = random.below(expected.size());
    ExactCopy buffer{Bytes(size)};
    BitWriter writer(buffer.writable());
    write_items(items, writer);
    EXPECT_KIND(writer.status(), kOutputTooSmall);
    ASSERT_LE(writer.size(), size);
  }
}

TEST(BitReader, MatchesABitVector) {
  Random random(4);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Item> items = random_items(random);
    const ExactCopy bytes(naive_bytes(items));
    BitReader reader(bytes.span());
    std::uint64_t position = 0;
    for (const Item& item : items) {
      ASSERT_EQ(reader.read(item.bits), item.value);
      position += item.bits;
      ASSERT_EQ(reader.bit_position(), position);
      if (!item.finish) continue;
      ASSERT_OK(reader.finish_byte("padding"));
      position = (position + 7) / 8 * 8;
      ASSERT_EQ(reader.byte_position(), position / 8);
    }
    ASSERT_OK(reader.status());
    ASSERT_EQ(reader.bits_left(), 8 * bytes.span().size() - position);
  }
}

TEST(BitReader, FromAnyPosition) {
  Random random(5);
  Bytes bytes(40);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits(8));
  const ExactCopy copy(bytes);
  for (std::uint64_t start = 0; start < 320; ++start) {
    for (unsigned bits = 0; bits <= 64 && start + bits <= 320; ++bits) {
      BitReader reader(copy.span(), start);
      std::uint64_t position = start;
      ASSERT_EQ(reader.read(bits), get_bits(bytes, position, bits)) << start << " " << bits;
    }
  }
}

TEST(BitReader, PastTheEndAreZerosAndTruncated) {
  for (std::size_t size = 0; size < 20; ++size) {
    for (unsigned bits = 1; bits <= 64; ++bits) {
      const ExactCopy bytes(Bytes(size, std::byte{0xff}));
      BitReader reader(bytes.span(), 8 * size - (size > 0 ? 3 : 0));
      const std::uint64_t value = reader.read(bits);
      const unsigned left = size > 0 ? 3 : 0;
      EXPECT_EQ(value, (1u << std::min(bits, left)) - 1);
      EXPECT_EQ(reader.overrun(), bits > left);
      EXPECT_EQ(reader.status().ok(), bits <= left);
      if (bits > left) {
        EXPECT_KIND(reader.corrupt("a reason"), kTruncated);
        EXPECT_KIND(reader.finish_byte("a reason"), kTruncated);
        EXPECT_EQ(reader.read(64), 0u);
        EXPECT_EQ(reader.bits_left(), 0u);
      }
    }
  }
}

TEST(BitReader, PaddingMustBeZero) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const ExactCopy copy(Bytes{static_cast<std::byte>(byte)});
      BitReader reader(copy.span());
      (void)reader.read(bits);
      const Status status = reader.finish_byte("the padding");
      if (bits == 0 || byte >> bits == 0) {
        EXPECT_OK(status);
      } else {
        EXPECT_KIND(status, kCorrupt);
        EXPECT_STREQ(status.what(), "the padding");
        EXPECT_EQ(status.offset(), 0u);
      }
    }
  }
}

}  // namespace
}  // namespace numpact::testing
