// SPDX-License-Identifier: Apache-2.0
// The C interface to parts of pages and to ranges of values gives what C++ gives.
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <string>

#include "numpact/numpact.h"
#include "numpact/trailer.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

// Counts what is allocated, and how much of it is not released.
struct Allocations {
  std::size_t made = 0;
  std::size_t live = 0;

  numpact_allocator allocator() {
    return {sizeof(numpact_allocator), this,
            [](void* opaque, std::size_t size, std::size_t alignment) -> void* {
              auto& self = *static_cast<Allocations*>(opaque);
              ++self.made;
              ++self.live;
              return ::operator new(size, std::align_val_t(alignment));
            },
            [](void* opaque, void* memory, std::size_t, std::size_t alignment) {
              --static_cast<Allocations*>(opaque)->live;
              ::operator delete(memory, std::align_val_t(alignment));
            }};
  }
};

// A chunk of two pages of 3000 and 2000 walking doubles, by Consecutive deltas.
class CPages : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(971);
    numbers_ = make_numbers("walk", NumberType::kF64, 5000, random);
    const std::size_t counts[] = {3000, 2000};
    numpact_encode_options options;
    numpact_encode_options_init(&options);
    options.page_counts = counts;
    options.page_count_count = 2;
    options.mode = "classic";
    options.delta = "consecutive=1";
    ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F64, numbers_.data(), 5000, &options,
                                           &encoder_, nullptr),
              NUMPACT_OK);
    meta_.resize(numpact_chunk_encoder_meta_bound(encoder_));
    std::size_t size = 0;
    ASSERT_EQ(
        numpact_chunk_encoder_write_meta(encoder_, meta_.data(), meta_.size(), &size, nullptr),
        NUMPACT_OK);
    page_.resize(numpact_chunk_encoder_page_bound(encoder_, 1));
    ASSERT_EQ(
        numpact_chunk_encoder_write_page(encoder_, 1, page_.data(), page_.size(), &size, nullptr),
        NUMPACT_OK);
    page_.resize(size);
    ASSERT_EQ(numpact_chunk_decoder_create(nullptr, meta_.data(), meta_.size(), NUMPACT_F64, 4, 1,
                                           &decoder_, nullptr),
              NUMPACT_OK);
  }
  void TearDown() override {
    numpact_chunk_decoder_destroy(decoder_);
    numpact_chunk_encoder_destroy(encoder_);
  }

  Numbers numbers_;
  Bytes meta_;
  Bytes page_;  // the second one
  numpact_chunk_encoder* encoder_ = nullptr;
  numpact_chunk_decoder* decoder_ = nullptr;
};

TEST_F(CPages, AreReadInParts) {
  Allocations memory;
  const numpact_allocator allocator = memory.allocator();
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.allocator = &allocator;
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
  numpact_page_reader* reader = nullptr;
  ASSERT_EQ(numpact_page_reader_create(context, decoder_, &reader, nullptr), NUMPACT_OK);
  Bytes out(8 * 256 + 1);
  Bytes point(300);
  std::size_t point_size = 0;
  std::size_t made = 0;
  for (int round = 0; round < 4; ++round) {
    ASSERT_EQ(
        numpact_page_reader_start(reader, page_.data(), page_.size(), 2000, nullptr, 0, nullptr),
        NUMPACT_OK);
    std::size_t done = 0;
    while (numpact_page_reader_left(reader) > 0) {
      if (done == 1024) {
        ASSERT_EQ(numpact_page_reader_write_point(reader, point.data(), point.size(), &point_size,
                                                  nullptr),
                  NUMPACT_OK);
        EXPECT_EQ(point_size, numpact_page_reader_point_size(reader));
      }
      std::size_t count = 0;
      ASSERT_EQ(numpact_page_reader_read(reader, out.data() + 1, 8 * 256, &count, nullptr),
                NUMPACT_OK);
      EXPECT_EQ(count, std::min<std::size_t>(256, 2000 - done));
      EXPECT_EQ(std::memcmp(out.data() + 1, raw(numbers_).data() + 8 * (3000 + done), 8 * count),
                0);
      done += count;
    }
    EXPECT_EQ(done, 2000u);
    EXPECT_EQ(numpact_page_reader_bytes(reader), page_.size());
    if (round == 1) made = memory.made;
  }
  EXPECT_GT(made, 0u);
  EXPECT_EQ(memory.made, made);
  ASSERT_EQ(numpact_page_reader_start(reader, page_.data(), page_.size(), 2000, point.data(),
                                      point_size, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_page_reader_left(reader), 976u);
  ASSERT_EQ(numpact_page_reader_skip(reader, 970, nullptr), NUMPACT_OK);
  std::size_t count = 0;
  ASSERT_EQ(numpact_page_reader_read(reader, out.data(), out.size(), &count, nullptr), NUMPACT_OK);
  EXPECT_EQ(count, 6u);
  EXPECT_EQ(std::memcmp(out.data(), raw(numbers_).data() + 8 * 4994, 48), 0);
  numpact_page_reader_destroy(reader);
  numpact_context_destroy(context);
  EXPECT_EQ(memory.live, 0u);
}

// Page 1 of the chunk, often enough that its descriptions are converted in several steps.
TEST_F(CPages, ManyInOneCall) {
  constexpr std::size_t kPages = 150;
  constexpr std::size_t kPageN = 2000;
  std::vector<numpact_page_input> pages(kPages, {page_.data(), page_.size(), kPageN});
  Numbers all = zeros(NumberType::kF64, kPages * kPageN);
  const auto read = [&](std::size_t capacity, numpact_error* error) {
    return numpact_chunk_decoder_read_pages(decoder_, nullptr, pages.data(), pages.size(),
                                            all.storage().data(), capacity, error);
  };
  const std::size_t bytes = all.storage().size();
  ASSERT_EQ(read(bytes, nullptr), NUMPACT_OK);
  const std::size_t page_bytes = kPageN * sizeof(double);
  for (std::size_t i = 0; i < kPages; ++i) {
    ASSERT_TRUE(same_bytes(raw(all).subspan(page_bytes * i, page_bytes),
                           raw(numbers_).subspan(3000 * sizeof(double))));
  }
  numpact_error error;
  numpact_error_init(&error);
  EXPECT_EQ(read(bytes - sizeof(double), &error), NUMPACT_DOES_NOT_FIT);
  EXPECT_EQ(error.good_count, 0u);
  EXPECT_EQ(all.storage()[0], raw(numbers_)[3000 * sizeof(double)]);
  pages[131].bytes_size -= 10;
  EXPECT_EQ(read(bytes, &error), NUMPACT_TRUNCATED);
  EXPECT_EQ(error.good_count, 131 * kPageN);
  pages[131].bytes_size += 10;
  EXPECT_EQ(numpact_chunk_decoder_read_pages(decoder_, nullptr, nullptr, 0, nullptr, 0, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_chunk_decoder_read_pages(decoder_, nullptr, nullptr, 1, all.storage().data(),
                                             bytes, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST_F(CPages, ErrorsOfParts) {
  numpact_page_reader* reader = nullptr;
  ASSERT_EQ(numpact_page_reader_create(nullptr, decoder_, &reader, nullptr), NUMPACT_OK);
  std::size_t count = 7;
  double out[300];
  EXPECT_EQ(numpact_page_reader_read(reader, out, sizeof out, &count, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(
      numpact_page_reader_start(reader, page_.data(), page_.size(), 2000, "point", 5, nullptr),
      NUMPACT_CORRUPT);
  EXPECT_EQ(numpact_page_reader_left(reader), 0u);
  ASSERT_EQ(numpact_page_reader_start(reader, page_.data(), 20, 2000, nullptr, 0, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_page_reader_read(reader, out, sizeof out, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_page_reader_read(reader, out, sizeof out, &count, nullptr), NUMPACT_TRUNCATED);
  EXPECT_EQ(numpact_page_reader_skip(reader, 1, nullptr), NUMPACT_TRUNCATED);
  EXPECT_EQ(numpact_page_reader_skip(nullptr, 1, nullptr), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_page_reader_create(nullptr, nullptr, &reader, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_page_reader_destroy(reader);
  numpact_page_reader_destroy(nullptr);
}

TEST_F(CPages, Summaries) {
  numpact_chunk_summary summary = {};
  summary.struct_size = sizeof summary;
  ASSERT_EQ(numpact_chunk_encoder_page_summary(encoder_, 1, &summary, nullptr), NUMPACT_OK);
  EXPECT_EQ(summary.first, 3000u);
  EXPECT_EQ(summary.count, 2000u);
  EXPECT_EQ(summary.size, page_.size());
  EXPECT_EQ(summary.crc, numpact_crc32(page_.data(), page_.size(), 0));
  EXPECT_EQ(numpact_crc32(page_.data() + 5, page_.size() - 5, numpact_crc32(page_.data(), 5, 0)),
            summary.crc);
  EXPECT_EQ(summary.has_range, 1);
  const std::span<const double> page = numbers_.as<double>().value().subspan(3000);
  double min = 0;
  double max = 0;
  std::memcpy(&min, &summary.min_bits, sizeof min);
  std::memcpy(&max, &summary.max_bits, sizeof max);
  EXPECT_EQ(min, *std::min_element(page.begin(), page.end()));
  EXPECT_EQ(max, *std::max_element(page.begin(), page.end()));
  EXPECT_EQ(numpact_chunk_encoder_page_summary(encoder_, 2, &summary, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST_F(CPages, InfoOfChunks) {
  numpact_chunk_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(numpact_chunk_decoder_info(decoder_, &info, nullptr), NUMPACT_OK);
  EXPECT_EQ(info.type, NUMPACT_F64);
  EXPECT_EQ(info.mode, NUMPACT_MODE_CLASSIC);
  EXPECT_EQ(info.delta, NUMPACT_DELTA_CONSECUTIVE);
  EXPECT_EQ(info.meta_size, meta_.size());
  EXPECT_EQ(info.count, 0u);
  EXPECT_EQ(info.bin_counts[NUMPACT_LATENTS_SECONDARY], 0u);
  char text[256];
  std::size_t size = 0;
  ASSERT_EQ(numpact_chunk_decoder_describe(decoder_, text, sizeof text, &size, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(size, std::strlen(text));
  EXPECT_EQ(std::string(text).find("classic, consecutive=1; primary: "), 0u) << text;
  EXPECT_EQ(numpact_chunk_decoder_describe(decoder_, text, size, &size, nullptr),
            NUMPACT_DOES_NOT_FIT);
  std::vector<numpact_bin> bins(info.bin_counts[NUMPACT_LATENTS_PRIMARY] + 1);
  std::size_t count = 0;
  ASSERT_EQ(numpact_chunk_decoder_bins(decoder_, NUMPACT_LATENTS_PRIMARY, bins.data(), bins.size(),
                                       &count, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(count, info.bin_counts[NUMPACT_LATENTS_PRIMARY]);
  const auto chunk = wrapped::ChunkDecoder::create(meta_, NumberType::kF64, {})->info().value();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(bins[i].lower, chunk.variables[0].bins[i].lower);
    EXPECT_EQ(bins[i].weight, chunk.variables[0].bins[i].weight);
    EXPECT_EQ(bins[i].offset_bits, chunk.variables[0].bins[i].offset_bits);
  }
  ASSERT_EQ(
      numpact_chunk_decoder_bins(decoder_, NUMPACT_LATENTS_DELTA, nullptr, 0, &count, nullptr),
      NUMPACT_OK);
  EXPECT_EQ(count, 0u);
  std::int32_t match = -1;
  const double bounds[] = {-1, 1};
  ASSERT_EQ(numpact_chunk_decoder_match(decoder_, bounds, bounds + 1, &match, nullptr), NUMPACT_OK);
  EXPECT_EQ(match, NUMPACT_MATCH_SOME);
  ASSERT_EQ(numpact_chunk_decoder_match(decoder_, bounds + 1, bounds, &match, nullptr), NUMPACT_OK);
  EXPECT_EQ(match, NUMPACT_MATCH_NONE);
  EXPECT_EQ(numpact_chunk_decoder_match(decoder_, nullptr, bounds, &match, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST(CRanges, AreCountedAsInCpp) {
  Random random(972);
  for (const NumberType type : kNumberTypes) {
    const Numbers numbers = make_numbers("nans", type, 4000, random);
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(500);
    config.trailer = TrailerSpec::index();
    const Bytes file = compressed(numbers, config);
    const auto* const all = static_cast<const std::byte*>(numbers.data());
    for (int i = 0; i < 20; ++i) {
      const void* const min = all + random.below(4000) * size_of(type);
      const void* const max = all + random.below(4000) * size_of(type);
      std::uint64_t count = 0;
      int found = -1;
      ASSERT_EQ(numpact_count_where(nullptr, file.data(), file.size(),
                                    static_cast<numpact_type>(type), min, max, &count, nullptr),
                NUMPACT_OK);
      ASSERT_EQ(numpact_exists(nullptr, file.data(), file.size(), static_cast<numpact_type>(type),
                               min, max, &found, nullptr),
                NUMPACT_OK);
      visit_type(type, [&](auto number) {
        using T = decltype(number);
        T low{};
        T high{};
        std::memcpy(static_cast<void*>(&low), min, sizeof low);
        std::memcpy(static_cast<void*>(&high), max, sizeof high);
        EXPECT_EQ(count, count_where(file, ValueRange::of(low, high)).value());
      });
      EXPECT_EQ(found, count > 0 ? 1 : 0);
    }
  }
}

TEST(CRanges, ArgumentsAreChecked) {
  const Bytes file = compressed(from_values<std::int32_t>({1, 2, 3}));
  const std::int32_t bounds[] = {2, 3};
  std::uint64_t count = 0;
  const auto status = [&](numpact_type type, const void* min, const void* max, std::uint64_t* out) {
    return numpact_count_where(nullptr, file.data(), file.size(), type, min, max, out, nullptr);
  };
  EXPECT_EQ(status(NUMPACT_I32, bounds, bounds + 1, &count), NUMPACT_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(status(NUMPACT_U32, bounds, bounds + 1, &count), NUMPACT_TYPE_MISMATCH);
  EXPECT_EQ(status(0, bounds, bounds + 1, &count), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(status(NUMPACT_I32, nullptr, bounds, &count), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(status(NUMPACT_I32, bounds, nullptr, &count), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(status(NUMPACT_I32, bounds, bounds, nullptr), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_exists(nullptr, file.data(), 3, NUMPACT_I32, bounds, bounds, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_crc32(nullptr, 0, 5), 5u);
}

}  // namespace
}  // namespace numpact::testing
