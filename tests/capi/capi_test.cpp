// SPDX-License-Identifier: Apache-2.0
// The C interface gives the same files and numbers as C++, with hooks and errors of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

numpact_type c_type(NumberType type) { return static_cast<numpact_type>(type); }

struct ErrorOf : numpact_error {
  ErrorOf() : numpact_error() { numpact_error_init(this); }
};

// An allocator that counts, and fails from the n-th allocation on.
struct Memory {
  std::map<void*, std::size_t> live;
  std::size_t made = 0;
  std::size_t fails_from = SIZE_MAX;

  numpact_allocator allocator() {
    return {sizeof(numpact_allocator), this,
            [](void* opaque, std::size_t size, std::size_t alignment) -> void* {
              auto& self = *static_cast<Memory*>(opaque);
              if (self.made++ >= self.fails_from) return nullptr;
              void* const memory = ::operator new(size, std::align_val_t(alignment));
              self.live[memory] = size;
              return memory;
            },
            [](void* opaque, void* memory, std::size_t size, std::size_t alignment) {
              auto& self = *static_cast<Memory*>(opaque);
              EXPECT_EQ(self.live.at(memory), size);
              self.live.erase(memory);
              ::operator delete(memory, std::align_val_t(alignment));
            }};
  }
};

class Context {
 public:
  explicit Context(const numpact_context_options* options = nullptr) {
    EXPECT_EQ(numpact_context_create(options, &context_, nullptr), NUMPACT_OK);
  }
  ~Context() { numpact_context_destroy(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator numpact_context*() const { return context_; }  // NOLINT(google-explicit-constructor)

 private:
  numpact_context* context_ = nullptr;
};

Bytes c_compressed(const Numbers& numbers, numpact_context* context = nullptr,
                   const numpact_encode_options* options = nullptr) {
  const numpact_type type = c_type(numbers.type());
  Bytes out(numpact_compress_bound(type, numbers.count(), options));
  std::size_t size = 0;
  EXPECT_EQ(numpact_compress(context, type, numbers.data(), numbers.count(), options, out.data(),
                             out.size(), &size, nullptr),
            NUMPACT_OK);
  out.resize(size);
  return out;
}

TEST(CInterface, FilesAreThoseOfCpp) {
  Random random(901);
  for (const NumberType type : kNumberTypes) {
    const Numbers numbers = make_numbers("walk", type, 5000, random);
    EXPECT_TRUE(same_bytes(c_compressed(numbers), compressed(numbers)));
    numpact_encode_options options;
    numpact_encode_options_init(&options);
    options.level = 3;
    options.max_page_count = 700;
    options.delta = "consecutive=1";
    options.trailer = NUMPACT_TRAILER_INDEX;
    EncodeConfig config;
    config.level = 3;
    config.paging = PagingSpec::equal_pages_up_to(700);
    config.delta = DeltaSpec::try_consecutive(1);
    config.trailer = TrailerSpec::index();
    EXPECT_TRUE(same_bytes(c_compressed(numbers, nullptr, &options), compressed(numbers, config)));
  }
}

TEST(CInterface, Decompresses) {
  Random random(902);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 9000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  const Bytes file = compressed(numbers, config);
  const Context context;
  Numbers out = zeros(NumberType::kF64, 9000);
  std::size_t count = 0;
  ASSERT_EQ(numpact_decompress(context, file.data(), file.size(), NUMPACT_F64, out.storage().data(),
                               out.storage().size(), &count, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(count, 9000u);
  EXPECT_TRUE(same_bytes(raw(out), raw(numbers)));
  int is_finished = 1;
  ASSERT_EQ(numpact_decompress_front(context, file.data(), file.size(), NUMPACT_F64,
                                     out.storage().data(), 808, &count, &is_finished, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(count, 101u);
  EXPECT_EQ(is_finished, 0);
  std::uint64_t total = 0;
  ASSERT_EQ(numpact_count(context, file.data(), file.size(), &total, nullptr), NUMPACT_OK);
  EXPECT_EQ(total, 9000u);
  numpact_file_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(numpact_read_info(file.data(), file.size(), &info, nullptr), NUMPACT_OK);
  EXPECT_EQ(info.type, NUMPACT_F64);
  EXPECT_EQ(info.format_major, 4);
  EXPECT_EQ(info.count_hint, 9000u);
}

TEST(CInterface, ExactCounts) {
  Random random(903);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 300, random);
  const Bytes file = compressed(numbers);
  std::vector<std::int32_t> out(400);
  ErrorOf error;
  const auto exact = [&](std::size_t count) {
    return numpact_decompress_exact(nullptr, file.data(), file.size(), NUMPACT_I32, out.data(),
                                    count, &error);
  };
  EXPECT_EQ(exact(300), NUMPACT_OK);
  EXPECT_EQ(exact(299), NUMPACT_DOES_NOT_FIT);
  EXPECT_EQ(exact(301), NUMPACT_CORRUPT);
  EXPECT_EQ(error.good_count, 300u);
  EXPECT_EQ(numpact_decompress_exact(nullptr, file.data(), file.size(), NUMPACT_U32, out.data(),
                                     300, &error),
            NUMPACT_TYPE_MISMATCH);
}

TEST(CInterface, RangesAndChunks) {
  Random random(905);
  const Numbers numbers = make_numbers("walk", NumberType::kI16, 5000, random);
  EncodeConfig config;
  config.paging = PagingSpec::exact({2000, 3000});
  const Bytes file = compressed(numbers, config);
  numpact_reader* reader = nullptr;
  ASSERT_EQ(numpact_reader_create(nullptr, file.data(), file.size(), &reader, nullptr), NUMPACT_OK);
  EXPECT_EQ(numpact_reader_type(reader), NUMPACT_I16);
  EXPECT_EQ(numpact_reader_count(reader), 5000u);
  ASSERT_EQ(numpact_reader_chunk_count(reader), 2u);
  numpact_chunk_place place = {};
  place.struct_size = sizeof place;
  ASSERT_EQ(numpact_reader_chunk(reader, 1, &place, nullptr), NUMPACT_OK);
  EXPECT_EQ(place.first, 2000u);
  EXPECT_EQ(place.count, 3000u);
  EXPECT_EQ(numpact_reader_chunk(reader, 2, &place, nullptr), NUMPACT_INVALID_ARGUMENT);
  // At an odd address.
  Bytes out(2 * 700 + 1);
  ASSERT_EQ(numpact_reader_read(reader, nullptr, 1900, NUMPACT_I16, out.data() + 1, 700, nullptr),
            NUMPACT_OK);
  EXPECT_TRUE(same_bytes(std::span(out).subspan(1), raw(numbers).subspan(3800, 1400)));
  EXPECT_EQ(numpact_reader_read(reader, nullptr, 4900, NUMPACT_I16, out.data(), 101, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_reader_destroy(reader);
}

TEST(CInterface, WarmContextsAllocateNothing) {
  Random random(906);
  const Numbers numbers = make_numbers("decimals", NumberType::kF64, 20000, random);
  Memory memory;
  const numpact_allocator allocator = memory.allocator();
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.allocator = &allocator;
  {
    const Context context(&options);
    Numbers out = zeros(NumberType::kF64, 20000);
    std::size_t made = 0;
    for (int round = 0; round < 4; ++round) {
      const Bytes file = c_compressed(numbers, context);
      ASSERT_EQ(numpact_decompress_exact(context, file.data(), file.size(), NUMPACT_F64,
                                         out.storage().data(), 20000, nullptr),
                NUMPACT_OK);
      if (round < 2) made = memory.made;
    }
    EXPECT_GT(made, 0u);
    EXPECT_EQ(memory.made, made);
  }
  EXPECT_TRUE(memory.live.empty());
}

TEST(CInterface, AllocatorsThatFail) {
  Random random(907);
  const Numbers numbers = make_numbers("walk", NumberType::kU32, 3000, random);
  Bytes out(20000);
  for (std::size_t k = 0;; ++k) {
    Memory memory;
    memory.fails_from = k;
    const numpact_allocator allocator = memory.allocator();
    numpact_context_options options;
    numpact_context_options_init(&options);
    options.allocator = &allocator;
    std::size_t size = 0;
    numpact_context* context = nullptr;
    numpact_status status = numpact_context_create(&options, &context, nullptr);
    if (status == NUMPACT_OK) {
      status = numpact_compress(context, NUMPACT_U32, numbers.data(), 3000, nullptr, out.data(),
                                out.size(), &size, nullptr);
    }
    numpact_context_destroy(context);
    EXPECT_TRUE(memory.live.empty());
    if (status == NUMPACT_OK) {
      EXPECT_GT(k, 0u);
      break;
    }
    ASSERT_EQ(status, NUMPACT_OUT_OF_MEMORY);
    ASSERT_LT(k, 1000u);
  }
}

TEST(CInterface, HooksOfTheContext) {
  struct Hooks {
    std::size_t tasks = 0;
    std::size_t reports = 0;
    int continues = 1;
  } hooks;
  const numpact_executor executor = {
      sizeof executor, &hooks, 4,
      [](void* opaque, std::size_t count, numpact_task task, void* argument) {
        static_cast<Hooks*>(opaque)->tasks += count;
        for (std::size_t i = count; i-- > 0;) task(argument, i);
      }};
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.executor = &executor;
  options.progress_opaque = &hooks;
  options.progress = [](void* opaque, std::uint64_t, std::uint64_t) {
    ++static_cast<Hooks*>(opaque)->reports;
    return static_cast<Hooks*>(opaque)->continues;
  };
  options.max_output_bytes = 4 * 40000;
  Random random(908);
  const Numbers numbers = make_numbers("walk", NumberType::kU32, 40000, random);
  numpact_encode_options encode;
  numpact_encode_options_init(&encode);
  encode.max_page_count = 5000;
  const Context context(&options);
  const Bytes file = c_compressed(numbers, context, &encode);
  EXPECT_TRUE(same_bytes(file, c_compressed(numbers, nullptr, &encode)));
  EXPECT_GT(hooks.tasks, 0u);
  EXPECT_GT(hooks.reports, 0u);
  std::vector<std::uint32_t> out(50000);
  const auto decompress = [&](const Bytes& bytes) {
    return numpact_decompress(context, bytes.data(), bytes.size(), NUMPACT_U32, out.data(),
                              4 * out.size(), nullptr, nullptr);
  };
  EXPECT_EQ(decompress(file), NUMPACT_OK);
  EXPECT_EQ(decompress(c_compressed(make_numbers("walk", NumberType::kU32, 40001, random))),
            NUMPACT_LIMIT_EXCEEDED);
  hooks.continues = 0;
  EXPECT_EQ(decompress(file), NUMPACT_CANCELLED);
}

// A file in memory as the source and sink of streams, read in small pieces.
struct File {
  Bytes bytes;
  std::size_t at = 0;
  int result = 0;

  static int write(void* opaque, const void* bytes, std::size_t size) {
    auto& self = *static_cast<File*>(opaque);
    const auto* const from = static_cast<const std::byte*>(bytes);
    if (self.result == 0) self.bytes.insert(self.bytes.end(), from, from + size);
    return self.result;
  }
  static int read(void* opaque, void* out, std::size_t capacity, std::size_t* size) {
    auto& self = *static_cast<File*>(opaque);
    *size = std::min({capacity, self.bytes.size() - self.at, std::size_t{100}});
    std::memcpy(out, self.bytes.data() + self.at, *size);
    self.at += *size;
    return self.result;
  }
};

TEST(CInterface, Streams) {
  Random random(909);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 7000, random);
  File file;
  numpact_stream_writer* writer = nullptr;
  ASSERT_EQ(numpact_stream_writer_create(nullptr, File::write, &file, NUMPACT_I64, nullptr, 7000,
                                         &writer, nullptr),
            NUMPACT_OK);
  const auto* const data = static_cast<const std::byte*>(numbers.data());
  ASSERT_EQ(numpact_stream_writer_write(writer, data, 3000, nullptr), NUMPACT_OK);
  ASSERT_EQ(numpact_stream_writer_write(writer, data + 24000, 4000, nullptr), NUMPACT_OK);
  ASSERT_EQ(numpact_stream_writer_finish(writer, nullptr), NUMPACT_OK);
  EXPECT_EQ(numpact_stream_writer_bytes(writer), file.bytes.size());
  numpact_stream_writer_destroy(writer);
  EXPECT_TRUE(same_bytes(file.bytes, compressed(numbers)));

  numpact_stream_reader* reader = nullptr;
  ASSERT_EQ(numpact_stream_reader_create(nullptr, File::read, &file, &reader, nullptr), NUMPACT_OK);
  Numbers out = zeros(NumberType::kI64, 7001);
  std::size_t count = 0;
  ASSERT_EQ(numpact_stream_reader_read(reader, NUMPACT_I64, out.storage().data(),
                                       out.storage().size(), &count, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(count, 7000u);
  EXPECT_TRUE(same_bytes(raw(out).first(56000), raw(numbers)));
  std::int32_t state = -1;
  EXPECT_EQ(numpact_stream_reader_check_trailer(reader, &state, nullptr), NUMPACT_OK);
  EXPECT_EQ(state, NUMPACT_TRAILER_ABSENT);
  EXPECT_EQ(numpact_stream_reader_check_trailer(reader, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_stream_reader_destroy(reader);

  file = {};
  file.result = ENOSPC;
  ASSERT_EQ(numpact_stream_writer_create(nullptr, File::write, &file, NUMPACT_I64, nullptr, 0,
                                         &writer, nullptr),
            NUMPACT_OK);
  (void)numpact_stream_writer_write(writer, data, 7000, nullptr);
  ErrorOf error;
  EXPECT_EQ(numpact_stream_writer_finish(writer, &error), NUMPACT_IO);
  EXPECT_EQ(error.system_error, ENOSPC);
  numpact_stream_writer_destroy(writer);
}

TEST(CInterface, StreamsAreComparedWithTheirTrailer) {
  Random random(913);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 7000, random);
  Numbers out = zeros(NumberType::kI64, 7001);
  numpact_stream_reader* reader = nullptr;
  std::int32_t state = -1;
  std::size_t count = 0;
  File file;
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  file.bytes = compressed(numbers, config);
  for (const std::size_t changed : {SIZE_MAX, file.bytes.size() - 30}) {
    file.at = 0;
    if (changed != SIZE_MAX) file.bytes[changed] ^= std::byte{1};
    ASSERT_EQ(numpact_stream_reader_create(nullptr, File::read, &file, &reader, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(numpact_stream_reader_check_trailer(reader, &state, nullptr),
              NUMPACT_INVALID_ARGUMENT);
    ASSERT_EQ(numpact_stream_reader_read(reader, NUMPACT_I64, out.storage().data(),
                                         out.storage().size(), &count, nullptr),
              NUMPACT_OK);
    EXPECT_EQ(numpact_stream_reader_check_trailer(reader, &state, nullptr), NUMPACT_OK);
    EXPECT_EQ(state, changed == SIZE_MAX ? NUMPACT_TRAILER_SOUND : NUMPACT_TRAILER_DAMAGED);
    numpact_stream_reader_destroy(reader);
  }
}

TEST(CInterface, WrappedPages) {
  Random random(910);
  const Numbers numbers = make_numbers("walk", NumberType::kF32, 2500, random);
  std::byte header[2];
  std::size_t size = 0;
  ASSERT_EQ(numpact_write_wrapped_header(NUMPACT_FORMAT_4_1, header, 2, &size, nullptr),
            NUMPACT_OK);
  unsigned major = 0;
  unsigned minor = 0;
  ASSERT_EQ(numpact_read_wrapped_header(header, size, &major, &minor, &size, nullptr), NUMPACT_OK);
  EXPECT_EQ(major, 4u);
  const std::size_t counts[] = {1500, 1000};
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.page_counts = counts;
  options.page_count_count = 2;
  numpact_chunk_encoder* encoder = nullptr;
  ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F32, numbers.data(), 2500, &options,
                                         &encoder, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(numpact_chunk_encoder_page_count(encoder), 2u);
  Bytes meta(numpact_chunk_encoder_meta_bound(encoder));
  ASSERT_EQ(numpact_chunk_encoder_write_meta(encoder, meta.data(), meta.size(), &size, nullptr),
            NUMPACT_OK);
  meta.resize(size);
  numpact_chunk_decoder* decoder = nullptr;
  ASSERT_EQ(numpact_chunk_decoder_create(nullptr, meta.data(), meta.size(), NUMPACT_F32, major,
                                         minor, &decoder, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_chunk_decoder_meta_size(decoder), meta.size());
  std::size_t first = 0;
  for (std::size_t page = 0; page < 2; ++page) {
    EXPECT_EQ(numpact_chunk_encoder_page_numbers(encoder, page), counts[page]);
    Bytes bytes(numpact_chunk_encoder_page_bound(encoder, page));
    ASSERT_EQ(
        numpact_chunk_encoder_write_page(encoder, page, bytes.data(), bytes.size(), &size, nullptr),
        NUMPACT_OK);
    Numbers out = zeros(NumberType::kF32, counts[page]);
    std::size_t used = 0;
    ASSERT_EQ(
        numpact_chunk_decoder_read_page(decoder, nullptr, bytes.data(), size, counts[page],
                                        out.storage().data(), out.storage().size(), &used, nullptr),
        NUMPACT_OK);
    EXPECT_EQ(used, size);
    EXPECT_TRUE(same_bytes(raw(out), raw(numbers).subspan(4 * first, 4 * counts[page])));
    first += counts[page];
  }
  numpact_chunk_decoder_destroy(decoder);
  numpact_chunk_encoder_destroy(encoder);
}

TEST(CInterface, Trailers) {
  Random random(912);
  const Numbers numbers = make_numbers("sorted", NumberType::kI32, 6000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  Bytes file = compressed(numbers, config);
  numpact_trailer* trailer = nullptr;
  ASSERT_EQ(numpact_trailer_read(file.data(), file.size(), &trailer, nullptr), NUMPACT_OK);
  EXPECT_EQ(trailer, nullptr);
  std::size_t size = 0;
  std::uint64_t file_size = 0;
  ErrorOf error;
  EXPECT_EQ(numpact_trailer_make(nullptr, file.data(), file.size(), NUMPACT_TRAILER_INDEX, 0,
                                 nullptr, 0, &size, &file_size, &error),
            NUMPACT_DOES_NOT_FIT);
  Bytes made(error.needed);
  ASSERT_EQ(numpact_trailer_make(nullptr, file.data(), file.size(), NUMPACT_TRAILER_INDEX, 0,
                                 made.data(), made.size(), &size, &file_size, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(file_size, file.size());
  file.insert(file.end(), made.begin(), made.end());
  ASSERT_EQ(numpact_trailer_read(file.data(), file.size(), &trailer, nullptr), NUMPACT_OK);
  ASSERT_NE(trailer, nullptr);
  EXPECT_EQ(numpact_trailer_count(trailer), 6000u);
  EXPECT_EQ(numpact_trailer_type(trailer), NUMPACT_I32);
  ASSERT_EQ(numpact_trailer_chunk_count(trailer), 6u);
  numpact_chunk_summary summary = {};
  summary.struct_size = sizeof summary;
  ASSERT_EQ(numpact_trailer_chunk(trailer, 2, &summary, nullptr), NUMPACT_OK);
  EXPECT_EQ(summary.first, 2000u);
  const auto* const values = static_cast<const std::int32_t*>(numbers.data());
  EXPECT_EQ(static_cast<std::int32_t>(summary.min_bits), values[2000]);
  EXPECT_EQ(static_cast<std::int32_t>(summary.max_bits), values[2999]);
  std::size_t indices[6];
  std::size_t count = 0;
  ASSERT_EQ(
      numpact_trailer_find(trailer, &values[2500], &values[3500], indices, 1, &count, nullptr),
      NUMPACT_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(indices[0], 2u);
  const std::size_t before = file.size() - made.size();
  std::uint64_t missing = 0;
  numpact_trailer* tail = nullptr;
  const std::size_t footer = file.size() - 24;
  ASSERT_EQ(numpact_trailer_read_tail(file.data() + footer, 24, footer, &tail, &missing, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(tail, nullptr);
  EXPECT_EQ(missing, made.size() - 24);
  ASSERT_EQ(numpact_trailer_read_tail(file.data() + before, made.size(), before, &tail, &missing,
                                      nullptr),
            NUMPACT_OK);
  EXPECT_EQ(missing, 0u);
  ASSERT_NE(tail, nullptr);
  EXPECT_EQ(numpact_trailer_count(tail), 6000u);
  numpact_trailer_destroy(tail);
  numpact_verification verification = {};
  verification.struct_size = sizeof verification;
  ASSERT_EQ(numpact_verify(nullptr, file.data(), file.size(), &verification, &error), NUMPACT_OK);
  EXPECT_EQ(verification.is_sound, 1);
  EXPECT_EQ(error.status, NUMPACT_OK);
  file[summary.offset + summary.size - 1] ^= std::byte{1};
  ASSERT_EQ(numpact_verify(nullptr, file.data(), file.size(), &verification, &error), NUMPACT_OK);
  EXPECT_EQ(verification.is_sound, 0);
  EXPECT_EQ(verification.damaged_chunk, 2u);
  EXPECT_EQ(verification.sound_count, 5000u);
  EXPECT_NE(error.status, NUMPACT_OK);
  numpact_trailer_destroy(trailer);
}

TEST(CInterface, Vectors) {
  numpact_cvc_options options;
  numpact_cvc_options_init(&options);
  options.compression = "fp16";
  options.dimension = 3;
  options.chunk_rows = 4;
  std::vector<float> floats(30);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(7 * i);
  numpact_cvc_writer* writer = nullptr;
  ASSERT_EQ(numpact_cvc_writer_create(nullptr, &options, &writer, nullptr), NUMPACT_OK);
  ASSERT_EQ(numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32, floats.data(), 10, nullptr),
            NUMPACT_OK);
  const void* bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(numpact_cvc_writer_finish(writer, &bytes, &size, nullptr), NUMPACT_OK);
  numpact_cvc_reader* reader = nullptr;
  ASSERT_EQ(numpact_cvc_reader_create(nullptr, bytes, size, &reader, nullptr), NUMPACT_OK);
  EXPECT_EQ(numpact_cvc_reader_rows(reader), 10u);
  ASSERT_EQ(numpact_cvc_reader_column_count(reader), 1u);
  numpact_cvc_column column = {};
  column.struct_size = sizeof column;
  ASSERT_EQ(numpact_cvc_reader_column(reader, 0, &column, nullptr), NUMPACT_OK);
  EXPECT_STREQ(column.compression, "fp16");
  EXPECT_EQ(column.dimension, 3u);
  std::vector<float> out(15);
  ASSERT_EQ(numpact_cvc_reader_read(reader, nullptr, 3, 5, 0, NUMPACT_DTYPE_FLOAT32, out.data(), 0,
                                    nullptr),
            NUMPACT_OK);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), floats.begin() + 9));
  const std::uint64_t picked[] = {9, 0, 9};
  ASSERT_EQ(numpact_cvc_reader_gather(reader, nullptr, picked, 3, 0, NUMPACT_DTYPE_FLOAT32,
                                      out.data(), 0, nullptr),
            NUMPACT_OK);
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 3, floats.begin() + 27));
  EXPECT_EQ(out[3], 0.0f);
  EXPECT_EQ(numpact_cvc_reader_read(reader, nullptr, 3, 8, 0, NUMPACT_DTYPE_FLOAT32, out.data(), 0,
                                    nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_cvc_reader_read(reader, nullptr, 0, 1, 1, NUMPACT_DTYPE_FLOAT32, out.data(), 0,
                                    nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_cvc_reader_destroy(reader);
  numpact_cvc_writer_destroy(writer);
  options.compression = "fp17";
  EXPECT_EQ(numpact_cvc_writer_create(nullptr, &options, &writer, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST(CInterface, ErrorsHaveAPlace) {
  Random random(911);
  EncodeConfig config;
  config.paging = PagingSpec::exact({1000, 1000});
  const Numbers numbers = make_numbers("uniform", NumberType::kI32, 2000, random);
  const Bytes file = compressed(numbers, config);
  std::vector<std::int32_t> out(2000);
  ErrorOf error;
  EXPECT_EQ(numpact_decompress(nullptr, file.data(), file.size() - 10, NUMPACT_I32, out.data(),
                               8000, nullptr, &error),
            NUMPACT_TRUNCATED);
  EXPECT_EQ(error.chunk, 1u);
  EXPECT_EQ(error.good_count, 1000u);
  EXPECT_NE(error.offset, NUMPACT_UNKNOWN);
  EXPECT_STREQ(numpact_status_name(error.status), "truncated");
}

TEST(CInterface, StructsOfOtherVersions) {
  // A program built before `good_count` was added: nothing is written behind its struct.
  ErrorOf error;
  error.good_count = 123;
  error.struct_size = offsetof(numpact_error, good_count);
  EXPECT_EQ(numpact_decompress(nullptr, "x", 1, NUMPACT_I32, nullptr, 0, nullptr, &error),
            NUMPACT_CORRUPT);
  EXPECT_EQ(error.good_count, 123u);
  // A program built after a field was added: it must not ask for what this library does not know.
  struct {
    numpact_encode_options known;
    std::uint64_t unknown = 0;
  } later;
  numpact_encode_options_init(&later.known);
  later.known.struct_size = sizeof later;
  std::byte out[100];
  std::size_t size = 0;
  const auto compress = [&] {
    return numpact_compress(nullptr, NUMPACT_U8, "abc", 3, &later.known, out, sizeof out, &size,
                            nullptr);
  };
  EXPECT_EQ(compress(), NUMPACT_OK);
  later.unknown = 1;
  EXPECT_EQ(compress(), NUMPACT_INVALID_ARGUMENT);
}

TEST(CInterface, ArgumentsAreChecked) {
  std::size_t size = 0;
  std::byte out[64];
  EXPECT_EQ(numpact_compress(nullptr, 0, "a", 1, nullptr, out, 64, &size, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U8, nullptr, 1, nullptr, out, 64, &size, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U8, nullptr, 0, nullptr, out, 64, &size, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U8, "a", 1, nullptr, out, 64, nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  for (const char* const mode : {"float-mult=0.5", "none such", ""}) {
    options.mode = mode;
    EXPECT_EQ(numpact_compress(nullptr, NUMPACT_U8, "a", 1, &options, out, 64, &size, nullptr),
              NUMPACT_INVALID_ARGUMENT);
  }
  EXPECT_EQ(numpact_type_size(0), 0u);
  EXPECT_EQ(numpact_type_size(200), 0u);
  EXPECT_EQ(numpact_type_size(NUMPACT_F16), 2u);
  EXPECT_EQ(numpact_version_number(),
            10000u * NUMPACT_VERSION_MAJOR + 100u * NUMPACT_VERSION_MINOR + NUMPACT_VERSION_PATCH);
}

}  // namespace
}  // namespace numpact::testing
