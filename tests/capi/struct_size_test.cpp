// SPDX-License-Identifier: Apache-2.0
// Structs of every size: those that end within a field are refused, those that end between fields
// are of an older program, and larger ones of a newer one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

struct Field {
  const char* name;
  std::size_t begin;
  std::size_t end;
};
#define FIELD(T, name) \
  Field { #name, offsetof(T, name), offsetof(T, name) + sizeof(T::name) }

// Bytes for larger structs than there are.
constexpr std::size_t kMore = 40;

// A struct of each size from 0 to kMore bytes too many, given to a function.
template <class T>
void expect_sizes(const T& filled, const std::vector<Field>& fields,
                  const std::function<numpact_status(T*)>& call) {
  // Fields that were added behind these must be listed.
  ASSERT_LE(sizeof(T) - fields.back().end, alignof(T) - 1);
  for (std::size_t size = 0; size <= sizeof(T) + kMore; ++size) {
    SCOPED_TRACE(size);
    alignas(T) std::byte bytes[sizeof(T) + kMore] = {};
    std::memcpy(bytes, &filled, std::min(size, sizeof(T)));
    T* const given = reinterpret_cast<T*>(bytes);
    std::memcpy(bytes, &size, sizeof size);  // struct_size
    bool is_right = size >= sizeof(std::size_t);
    for (const Field& field : fields)
      is_right = is_right && (size <= field.begin || size >= field.end);
    EXPECT_EQ(call(given), is_right ? NUMPACT_OK : NUMPACT_INVALID_ARGUMENT);
    // Nothing is written behind the struct.
    for (std::size_t i = std::max(size, sizeof size); i < sizeof bytes; ++i) {
      ASSERT_EQ(bytes[i], std::byte{0}) << i;
    }
  }
}

class StructSizes : public ::testing::Test {
 protected:
  StructSizes() : numbers_(1000, 1.5), out_(1 << 16) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] += static_cast<double>(i);
    EncodeConfig config;
    config.trailer = TrailerSpec::index();
    file_ =
        compress(NumberView(NumberType::kF64, numbers_.data(), numbers_.size()), config).value();
  }

  numpact_status compress_with(const numpact_encode_options* options) {
    std::size_t size = 0;
    return numpact_compress(nullptr, NUMPACT_F64, numbers_.data(), numbers_.size(), options,
                            out_.data(), out_.size(), &size, nullptr);
  }
  numpact_status create_with(const numpact_context_options& options) const {
    numpact_context* context = nullptr;
    const numpact_status status = numpact_context_create(&options, &context, nullptr);
    if (status != NUMPACT_OK) return status;
    std::uint64_t count = 0;
    EXPECT_EQ(numpact_count(context, file_.data(), file_.size(), &count, nullptr), NUMPACT_OK);
    EXPECT_EQ(count, numbers_.size());
    numpact_context_destroy(context);
    return status;
  }

  std::vector<double> numbers_;
  Bytes file_;
  Bytes out_;
};

TEST_F(StructSizes, EncodeOptions) {
  using T = numpact_encode_options;
  T options;
  numpact_encode_options_init(&options);
  options.mode = "classic";
  options.delta = "none";
  expect_sizes<T>(
      options,
      {FIELD(T, struct_size), FIELD(T, level), FIELD(T, format), FIELD(T, mode), FIELD(T, delta),
       FIELD(T, max_page_count), FIELD(T, page_counts), FIELD(T, page_count_count),
       FIELD(T, favor_decode_speed), FIELD(T, trailer), FIELD(T, restart_log), FIELD(T, recipe),
       FIELD(T, max_size), FIELD(T, decode_weight)},
      [&](T* given) { return compress_with(given); });
}

TEST_F(StructSizes, Estimates) {
  using T = numpact_estimate;
  expect_sizes<T>({},
                  {FIELD(T, struct_size), FIELD(T, size), FIELD(T, error), FIELD(T, mode),
                   FIELD(T, delta), FIELD(T, mode_text), FIELD(T, delta_text)},
                  [&](T* given) {
                    const numpact_status status =
                        numpact_estimate_size(nullptr, NUMPACT_F64, numbers_.data(),
                                              numbers_.size(), nullptr, given, nullptr);
                    // The caller expects nothing behind the size.
                    const std::size_t size = given->struct_size;
                    std::memset(static_cast<void*>(given), 0, std::min(size, sizeof(T)));
                    given->struct_size = size;
                    return status;
                  });
}

TEST_F(StructSizes, Rounding) {
  std::vector<double> out(numbers_.size());
  {
    using T = numpact_rounding;
    T rounding;
    numpact_rounding_init(&rounding);
    rounding.kind = NUMPACT_ROUND_DECIMALS;
    rounding.digits = -1;
    expect_sizes<T>(rounding,
                    {FIELD(T, struct_size), FIELD(T, kind), FIELD(T, digits), FIELD(T, max_error),
                     FIELD(T, fill)},
                    [&](T* given) {
                      return numpact_round(NUMPACT_F64, numbers_.data(), numbers_.size(), given,
                                           nullptr, out.data(), nullptr, nullptr);
                    });
  }
  using T = numpact_rounding_report;
  numpact_rounding rounding;
  numpact_rounding_init(&rounding);
  expect_sizes<T>({},
                  {FIELD(T, struct_size), FIELD(T, count), FIELD(T, changed), FIELD(T, kept),
                   FIELD(T, max_error), FIELD(T, step)},
                  [&](T* given) {
                    const numpact_status status =
                        numpact_round(NUMPACT_F64, numbers_.data(), numbers_.size(), &rounding,
                                      nullptr, out.data(), given, nullptr);
                    const std::size_t size = given->struct_size;
                    std::memset(static_cast<void*>(given), 0, std::min(size, sizeof(T)));
                    given->struct_size = size;
                    return status;
                  });
}

TEST_F(StructSizes, ContextOptions) {
  using T = numpact_context_options;
  T options;
  numpact_context_options_init(&options);
  options.progress = [](void*, std::uint64_t, std::uint64_t) { return 1; };
  expect_sizes<T>(options,
                  {FIELD(T, struct_size), FIELD(T, allocator), FIELD(T, executor),
                   FIELD(T, progress), FIELD(T, progress_opaque), FIELD(T, max_numbers),
                   FIELD(T, max_output_bytes), FIELD(T, max_memory)},
                  [&](T* given) { return create_with(*given); });
}

TEST_F(StructSizes, AllocatorsAndExecutors) {
  numpact_context_options options;
  numpact_context_options_init(&options);
  {
    using T = numpact_allocator;
    const T allocator = {sizeof(T), nullptr,
                         [](void*, std::size_t size, std::size_t alignment) -> void* {
                           return ::operator new(size, std::align_val_t(alignment));
                         },
                         [](void*, void* memory, std::size_t, std::size_t alignment) {
                           ::operator delete(memory, std::align_val_t(alignment));
                         }};
    // One that lacks a function is refused anyway.
    expect_sizes<T>(allocator,
                    {FIELD(T, struct_size), {"rest", sizeof(std::size_t) - 1, sizeof(T)}},
                    [&](T* given) {
                      options.allocator = given;
                      return create_with(options);
                    });
    options.allocator = nullptr;
  }
  using T = numpact_executor;
  const T executor = {sizeof(T), nullptr, 1,
                      [](void*, std::size_t count, numpact_task task, void* argument) {
                        for (std::size_t i = 0; i < count; ++i) task(argument, i);
                      }};
  expect_sizes<T>(executor, {FIELD(T, struct_size), {"rest", sizeof(std::size_t) - 1, sizeof(T)}},
                  [&](T* given) {
                    options.executor = given;
                    return create_with(options);
                  });
}

TEST_F(StructSizes, Errors) {
  using T = numpact_error;
  const std::vector<Field> fields = {
      FIELD(T, struct_size), FIELD(T, status), FIELD(T, system_error), FIELD(T, text),
      FIELD(T, offset),      FIELD(T, chunk),  FIELD(T, needed),       FIELD(T, good_count)};
  expect_sizes<T>({}, fields, [&](T* given) {
    std::uint64_t count = 0;
    const numpact_status status = numpact_count(nullptr, file_.data(), file_.size(), &count, given);
    // An error whose size is not set counts as none.
    if (given->struct_size >= sizeof(std::size_t)) return status;
    EXPECT_EQ(status, NUMPACT_OK);
    return numpact_status{NUMPACT_INVALID_ARGUMENT};
  });
}

TEST_F(StructSizes, FactsOfFiles) {
  {
    using T = numpact_file_info;
    expect_sizes<T>(
        {},
        {FIELD(T, struct_size), FIELD(T, type), FIELD(T, standalone_version),
         FIELD(T, format_major), FIELD(T, format_minor), FIELD(T, header_size),
         FIELD(T, count_hint)},
        [&](T* given) { return numpact_read_info(file_.data(), file_.size(), given, nullptr); });
  }
  {
    using T = numpact_verification;
    expect_sizes<T>({},
                    {FIELD(T, struct_size), FIELD(T, is_sound), FIELD(T, trailer),
                     FIELD(T, sound_count), FIELD(T, damage_count), FIELD(T, damaged_chunk),
                     FIELD(T, damaged_offset), FIELD(T, file_size)},
                    [&](T* given) {
                      return numpact_verify(nullptr, file_.data(), file_.size(), given, nullptr);
                    });
  }
  numpact_reader* reader = nullptr;
  ASSERT_EQ(numpact_reader_create(nullptr, file_.data(), file_.size(), &reader, nullptr),
            NUMPACT_OK);
  {
    using T = numpact_file_end;
    expect_sizes<T>({},
                    {FIELD(T, struct_size), FIELD(T, trailer), FIELD(T, is_unfinished),
                     FIELD(T, file_size), FIELD(T, foreign_offset), FIELD(T, warning)},
                    [&](T* given) { return numpact_reader_file_end(reader, given, nullptr); });
  }
  {
    using T = numpact_chunk_place;
    expect_sizes<T>({},
                    {FIELD(T, struct_size), FIELD(T, offset), FIELD(T, page_offset),
                     FIELD(T, first), FIELD(T, count)},
                    [&](T* given) { return numpact_reader_chunk(reader, 0, given, nullptr); });
  }
  numpact_reader_destroy(reader);
  numpact_trailer* trailer = nullptr;
  ASSERT_EQ(numpact_trailer_read(file_.data(), file_.size(), &trailer, nullptr), NUMPACT_OK);
  using T = numpact_chunk_summary;
  expect_sizes<T>({},
                  {FIELD(T, struct_size), FIELD(T, offset), FIELD(T, size), FIELD(T, first),
                   FIELD(T, count), FIELD(T, nan_count), FIELD(T, restart_points), FIELD(T, crc),
                   FIELD(T, has_range), FIELD(T, min_bits), FIELD(T, max_bits)},
                  [&](T* given) { return numpact_trailer_chunk(trailer, 0, given, nullptr); });
  numpact_trailer_destroy(trailer);
}

TEST_F(StructSizes, FactsOfPlansAndChunks) {
  {
    using T = numpact_file_step;
    numpact_file_plan* plan = nullptr;
    ASSERT_EQ(numpact_file_plan_append(nullptr, file_.data(), file_.size(), NUMPACT_F64,
                                       numbers_.data(), 10, nullptr, &plan, nullptr),
              NUMPACT_OK);
    expect_sizes<T>(
        {},
        {FIELD(T, struct_size), FIELD(T, kind), FIELD(T, offset), FIELD(T, bytes), FIELD(T, size)},
        [&](T* given) { return numpact_file_plan_step(plan, 0, 0, given, nullptr); });
    numpact_file_plan_destroy(plan);
  }
  using T = numpact_chunk_info;
  numpact_chunk_encoder* encoder = nullptr;
  ASSERT_EQ(numpact_chunk_encoder_create(nullptr, NUMPACT_F64, numbers_.data(), numbers_.size(),
                                         nullptr, &encoder, nullptr),
            NUMPACT_OK);
  expect_sizes<T>({},
                  {FIELD(T, struct_size), FIELD(T, type), FIELD(T, mode), FIELD(T, delta),
                   FIELD(T, count), FIELD(T, page_count), FIELD(T, meta_size), FIELD(T, page_size),
                   FIELD(T, bin_counts), FIELD(T, table_logs)},
                  [&](T* given) { return numpact_chunk_encoder_info(encoder, given, nullptr); });
  numpact_chunk_encoder_destroy(encoder);
}

TEST_F(StructSizes, Vectors) {
  {
    using T = numpact_cvc_options;
    T options;
    numpact_cvc_options_init(&options);
    options.compression = "int8";
    options.dimension = 4;
    // Without a dimension the columns are given later; a shorter struct has none.
    expect_sizes<T>(options,
                    {FIELD(T, struct_size), FIELD(T, compression), FIELD(T, chunk_rows),
                     FIELD(T, dimension), FIELD(T, allow_nonfinite)},
                    [&](T* given) {
                      numpact_cvc_writer* writer = nullptr;
                      const numpact_status status =
                          numpact_cvc_writer_create(nullptr, given, &writer, nullptr);
                      numpact_cvc_writer_destroy(writer);
                      return status;
                    });
  }
  Bytes vectors;
  cvc::WriteConfig config;
  config.dimension = 4;
  auto writer = cvc::Writer::create(vectors, config).value();
  ASSERT_TRUE(writer.append(cvc::Rows(std::span<const double>(numbers_), 4)).ok());
  ASSERT_TRUE(writer.finish().ok());
  numpact_cvc_reader* reader = nullptr;
  ASSERT_EQ(numpact_cvc_reader_create(nullptr, vectors.data(), vectors.size(), &reader, nullptr),
            NUMPACT_OK);
  using T = numpact_cvc_column;
  expect_sizes<T>({},
                  {FIELD(T, struct_size), FIELD(T, name), FIELD(T, compression),
                   FIELD(T, dimension), FIELD(T, dtype)},
                  [&](T* given) { return numpact_cvc_reader_column(reader, 0, given, nullptr); });
  using C = numpact_cvc_chunk;
  expect_sizes<C>({},
                  {FIELD(C, struct_size), FIELD(C, first_row), FIELD(C, rows), FIELD(C, offset),
                   FIELD(C, size)},
                  [&](C* given) { return numpact_cvc_reader_chunk(reader, 0, given, nullptr); });
  numpact_cvc_reader_destroy(reader);
}

}  // namespace
}  // namespace numpact::testing
