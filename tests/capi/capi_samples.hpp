// SPDX-License-Identifier: Apache-2.0
// Inputs of every kind for the functions of the C ABI.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {

// What a call is given, and what it should give.
struct Samples {
  Samples() {
    Random random(971);
    numbers = make_numbers("walk", NumberType::kI64, kCount, random);
    EncodeConfig config;
    config.level = 2;
    config.paging = PagingSpec::equal_pages_up_to(1000);
    config.trailer = TrailerSpec::restarts(8);
    file = compressed(numbers, config);
    config.trailer = TrailerSpec::none();
    plain = compressed(numbers, config);
    const std::size_t size = 8 * kCount;
    out.resize(size + plain.size() + (std::size_t{1} << 16));
    // A wrapped chunk of one page.
    EXPECT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_I64, numbers.data(), kCount, nullptr,
                                           &encoder, nullptr),
              NUMPACT_OK);
    meta = written([&](void* to, std::size_t room, std::size_t* got) {
      return numpact_chunk_encoder_write_meta(encoder, to, room, got, nullptr);
    });
    page = written([&](void* to, std::size_t room, std::size_t* got) {
      return numpact_chunk_encoder_write_page(encoder, 0, to, room, got, nullptr);
    });
    EXPECT_EQ(numpact_chunk_decoder_create(nullptr, meta.data(), meta.size(), NUMPACT_I64, 4, 1,
                                           &decoder, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(numpact_reader_create(nullptr, file.data(), file.size(), &reader, nullptr),
              NUMPACT_OK);
    // Vectors.
    rows.assign(64 * 8, 0.5F);
    cvc::WriteConfig write;
    write.dimension = 8;
    write.chunk_rows = 16;
    auto writer = cvc::Writer::create(vectors, write).value();
    EXPECT_TRUE(writer.append(cvc::Rows(std::span<const float>(rows), 8)).ok());
    EXPECT_TRUE(writer.finish().ok());
    EXPECT_EQ(numpact_cvc_reader_create(nullptr, vectors.data(), vectors.size(), &cvc, nullptr),
              NUMPACT_OK);
    // An Arrow column.
    schema.format = "l";
    schema.name = "";
    buffers[1] = numbers.data();
    array.length = kCount;
    array.n_buffers = 2;
    array.buffers = buffers;
    schema.release = [](ArrowSchema*) {};
    array.release = [](ArrowArray*) {};
    column = written([&](void* to, std::size_t room, std::size_t* got) {
      return numpact_compress_arrow(nullptr, &schema, &array, nullptr, to, room, got, nullptr);
    });
  }
  ~Samples() {
    numpact_chunk_encoder_destroy(encoder);
    numpact_chunk_decoder_destroy(decoder);
    numpact_reader_destroy(reader);
    numpact_cvc_reader_destroy(cvc);
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  template <class F>
  static Bytes written(const F& f) {
    Bytes bytes(std::size_t{1} << 18);
    std::size_t size = 0;
    EXPECT_EQ(f(bytes.data(), bytes.size(), &size), NUMPACT_OK);
    bytes.resize(size);
    return bytes;
  }

  static constexpr std::size_t kCount = 6000;
  Numbers numbers;
  Bytes file, plain, meta, page, vectors, column, out;
  std::vector<float> rows;
  numpact_chunk_encoder* encoder = nullptr;
  numpact_chunk_decoder* decoder = nullptr;
  numpact_reader* reader = nullptr;
  numpact_cvc_reader* cvc = nullptr;
  ArrowSchema schema = {};
  ArrowArray array = {};
  const void* buffers[2] = {nullptr, nullptr};
};

}  // namespace numpact::testing
