// SPDX-License-Identifier: Apache-2.0
// What the C interface tells of files that others follow, and of arguments that are wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

struct ErrorOf : numpact_error {
  ErrorOf() : numpact_error() { numpact_error_init(this); }
};

TEST(CInterface, EndsOfFiles) {
  Random random(914);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 700, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const Bytes plain = compressed(numbers);
  const Bytes whole = compressed(numbers, config);
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(nullptr, &context, nullptr), NUMPACT_OK);
  const auto end_of = [&](const Bytes& file) {
    std::uint64_t count = 0;
    EXPECT_EQ(numpact_count(context, file.data(), file.size(), &count, nullptr), NUMPACT_OK);
    numpact_file_end end = {};
    end.struct_size = sizeof end;
    EXPECT_EQ(numpact_context_file_end(context, &end, nullptr), NUMPACT_OK);
    for (numpact_context* const used : {context, static_cast<numpact_context*>(nullptr)}) {
      numpact_reader* reader = nullptr;
      EXPECT_EQ(numpact_reader_create(used, file.data(), file.size(), &reader, nullptr),
                NUMPACT_OK);
      numpact_file_end again = {};
      again.struct_size = sizeof again;
      EXPECT_EQ(numpact_reader_file_end(reader, &again, nullptr), NUMPACT_OK);
      EXPECT_EQ(std::memcmp(&end, &again, sizeof end), 0);
      numpact_reader_destroy(reader);
    }
    EXPECT_EQ(end.file_size, plain.size());
    return end;
  };
  const auto joined = [](Bytes first, const Bytes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  EXPECT_EQ(end_of(plain).trailer, NUMPACT_TRAILER_ABSENT);
  EXPECT_EQ(end_of(plain).warning, nullptr);
  EXPECT_EQ(end_of(whole).trailer, NUMPACT_TRAILER_SOUND);
  EXPECT_EQ(end_of(whole).foreign_offset, NUMPACT_UNKNOWN);
  EXPECT_EQ(end_of(joined(plain, plain)).trailer, NUMPACT_TRAILER_UNRECOGNIZED);
  EXPECT_EQ(end_of(joined(plain, plain)).foreign_offset, plain.size());
  EXPECT_NE(end_of(joined(plain, plain)).warning, nullptr);
  EXPECT_EQ(end_of(joined(whole, plain)).foreign_offset, whole.size());
  Bytes bad = whole;
  bad[whole.size() - 30] ^= std::byte{1};
  EXPECT_EQ(end_of(bad).trailer, NUMPACT_TRAILER_DAMAGED);
  EXPECT_NE(end_of(bad).warning, nullptr);
  // It is that of the last call, if this has found one.
  std::uint64_t count = 0;
  EXPECT_NE(numpact_count(context, plain.data(), 20, &count, nullptr), NUMPACT_OK);
  numpact_file_end none = {};
  none.struct_size = sizeof none;
  EXPECT_EQ(numpact_context_file_end(context, &none, nullptr), NUMPACT_OK);
  EXPECT_EQ(none.file_size, 0u);
  EXPECT_EQ(numpact_context_file_end(nullptr, &none, nullptr), NUMPACT_INVALID_ARGUMENT);
  numpact_context_destroy(context);
}

TEST(CInterface, RequestsThatAreNoneAreExplained) {
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  const double number = 1;
  Bytes out(1000);
  std::size_t size = 0;
  const auto said = [&](const char* mode, const char* delta) -> std::string {
    options.mode = mode;
    options.delta = delta;
    ErrorOf error;
    EXPECT_EQ(numpact_compress(nullptr, NUMPACT_F64, &number, 1, &options, out.data(), out.size(),
                               &size, &error),
              NUMPACT_INVALID_ARGUMENT);
    return error.text;
  };
  for (const char* mode : {"floatmult=0.01", "", "float-mult", "classic=1", "Auto"}) {
    for (const char* form : mode_spec_forms()) {
      EXPECT_NE(said(mode, nullptr).find(form), std::string::npos) << mode;
    }
  }
  for (const char* delta : {"consecutive", "conv=3", "lookback=2"}) {
    for (const char* form : delta_spec_forms()) {
      EXPECT_NE(said(nullptr, delta).find(form), std::string::npos) << delta;
    }
  }
  for (const char* mode : {"float-mult=0.01x", "float-mult=", "float-mult=x"}) {
    EXPECT_NE(said(mode, nullptr).find("float-mult=BASE"), std::string::npos);
    EXPECT_NE(said(mode, nullptr).find("BASE is not a number"), std::string::npos);
  }
  EXPECT_NE(said(nullptr, "consecutive=x").find("consecutive=N"), std::string::npos);
}

// Also where the capacity was taken for one in numbers.
TEST(CInterface, PagesThatDoNotFitLeaveTheOutput) {
  Random random(915);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 1000, random);
  numpact_chunk_encoder* encoder = nullptr;
  ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F64, numbers.data(), 1000, nullptr,
                                         &encoder, nullptr),
            NUMPACT_OK);
  Bytes meta(numpact_chunk_encoder_meta_bound(encoder));
  Bytes page(numpact_chunk_encoder_page_bound(encoder, 0));
  std::size_t size = 0;
  numpact_chunk_encoder_write_meta(encoder, meta.data(), meta.size(), &size, nullptr);
  numpact_chunk_encoder_write_page(encoder, 0, page.data(), page.size(), &size, nullptr);
  numpact_chunk_encoder_destroy(encoder);
  numpact_chunk_decoder* decoder = nullptr;
  ASSERT_EQ(numpact_chunk_decoder_create(nullptr, meta.data(), meta.size(), NUMPACT_F64, 4, 1,
                                         &decoder, nullptr),
            NUMPACT_OK);
  const Bytes untouched(8000, std::byte{0x5a});
  for (const std::size_t room : {0u, 7u, 1000u, 7992u, 7999u}) {
    Bytes out = untouched;
    ErrorOf error;
    EXPECT_EQ(numpact_chunk_decoder_read_page(decoder, nullptr, page.data(), size, 1000, out.data(),
                                              room, nullptr, &error),
              NUMPACT_DOES_NOT_FIT);
    EXPECT_EQ(error.needed, 8000u);
    EXPECT_EQ(error.good_count, 0u);
    EXPECT_TRUE(same_bytes(out, untouched));
  }
  Bytes out = untouched;
  EXPECT_EQ(numpact_chunk_decoder_read_page(decoder, nullptr, page.data(), size, 1000, out.data(),
                                            8000, nullptr, nullptr),
            NUMPACT_OK);
  EXPECT_TRUE(same_bytes(out, raw(numbers)));
  for (const std::size_t front : {0u, 1u, 255u, 256u, 999u, 1000u}) {
    Bytes begun = untouched;
    std::size_t used = 0;
    EXPECT_EQ(
        numpact_chunk_decoder_read_page_front(decoder, nullptr, page.data(), page.size(), 1000,
                                              begun.data(), 8 * front + 7, &used, nullptr),
        NUMPACT_OK);
    EXPECT_TRUE(front < 1000 ? used <= size : used == size) << used;
    EXPECT_TRUE(std::equal(begun.begin(), begun.begin() + 8 * static_cast<std::ptrdiff_t>(front),
                           raw(numbers).begin()));
    EXPECT_EQ(begun[std::min<std::size_t>(8 * front, 7999)],
              front < 1000 ? std::byte{0x5a} : begun[7999]);
  }
  numpact_chunk_decoder_destroy(decoder);
}

// Metadata do not name their type.
TEST(CInterface, MetadataOfAnotherType) {
  std::vector<double> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) * 0.01;
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.mode = "float-mult=0.01";
  numpact_chunk_encoder* encoder = nullptr;
  ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F64, numbers.data(), numbers.size(),
                                         &options, &encoder, nullptr),
            NUMPACT_OK);
  Bytes meta(numpact_chunk_encoder_meta_bound(encoder));
  std::size_t size = 0;
  ASSERT_EQ(numpact_chunk_encoder_write_meta(encoder, meta.data(), meta.size(), &size, nullptr),
            NUMPACT_OK);
  numpact_chunk_encoder_destroy(encoder);
  numpact_chunk_decoder* decoder = nullptr;
  ErrorOf error;
  EXPECT_EQ(
      numpact_chunk_decoder_create(nullptr, meta.data(), size, NUMPACT_U8, 4, 1, &decoder, &error),
      NUMPACT_CORRUPT);
  EXPECT_NE(std::string_view(error.text).find("of another type"), std::string_view::npos);
}

}  // namespace
}  // namespace numpact::testing
