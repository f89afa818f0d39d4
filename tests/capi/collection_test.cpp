// SPDX-License-Identifier: Apache-2.0
// Collections that grow by the C interface; tests/cvc/collection_test.cpp has what the library
// writes.
#include "numpact/collection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "numpact/cvc/types.hpp"
#include "support/system.hpp"

namespace numpact {
namespace {

numpact_cvc_column column_of(const char* name, std::uint64_t dimension, numpact_dtype dtype,
                             const char* compression = nullptr) {
  return {sizeof(numpact_cvc_column), name, compression, dimension, dtype};
}

class CollectionInC : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = testing::system::new_folder("collection_in_c");
    path_ = place_ + "/documents";
    numpact_collection_options_init(&options_);
    options_.lock_timeout_ms = 0;
  }
  void TearDown() override {
    close();
    numpact_cvc_reader_destroy(reader_);
    std::filesystem::remove_all(place_);
  }

  numpact_status begin(const std::vector<numpact_cvc_column>& columns = {},
                       numpact_context* context = nullptr) {
    close();
    options_.columns = columns.data();
    options_.column_count = columns.size();
    return numpact_collection_append(context, path_.c_str(), &options_, &writer_, why_, sizeof why_,
                                     nullptr);
  }
  numpact_status write(const std::vector<const void*>& columns, std::uint64_t count) {
    return numpact_collection_writer_write(writer_, columns.data(), count, why_, sizeof why_,
                                           nullptr);
  }
  numpact_status commit(numpact_cvc_report* report = nullptr) {
    return numpact_collection_writer_commit(writer_, report, why_, sizeof why_, nullptr);
  }
  void close() {
    numpact_collection_writer_destroy(writer_);
    writer_ = nullptr;
  }
  numpact_status open() {
    numpact_cvc_reader_destroy(reader_);
    reader_ = nullptr;
    return numpact_collection_open(nullptr, path_.c_str(), &reader_, why_, sizeof why_, nullptr);
  }
  bool says(const char* text) const { return std::string(why_).find(text) != std::string::npos; }

  std::string place_;
  std::string path_;
  numpact_collection_options options_;
  numpact_collection_writer* writer_ = nullptr;
  numpact_cvc_reader* reader_ = nullptr;
  char why_[500] = {};
};

TEST_F(CollectionInC, RowsOfSeveralAppends) {
  options_.metadata = R"({"model": "m"})";
  ASSERT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT32),
                   column_of("id", 1, NUMPACT_DTYPE_INT64, "pco")}),
            NUMPACT_OK)
      << why_;
  const std::vector<float> text = {1, 2, 3, 4, 5, 6};
  const std::int64_t ids[] = {10, 20, 30};
  ASSERT_EQ(write({text.data(), ids}, 3), NUMPACT_OK) << why_;
  ASSERT_EQ(write({text.data(), ids}, 0), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  options_.metadata = nullptr;
  // In another order, which the collection does not take over.
  ASSERT_EQ(begin({column_of("id", 1, NUMPACT_DTYPE_INT64),
                   column_of("text", 2, NUMPACT_DTYPE_FLOAT32, "none")}),
            NUMPACT_OK)
      << why_;
  ASSERT_EQ(numpact_collection_writer_column_count(writer_), 2u);
  numpact_cvc_column column = column_of("", 0, 0);
  ASSERT_EQ(numpact_collection_writer_column(writer_, 0, &column, nullptr), NUMPACT_OK);
  EXPECT_STREQ(column.name, "text");
  EXPECT_STREQ(column.compression, "none");
  EXPECT_EQ(column.dimension, 2u);
  ASSERT_EQ(numpact_collection_writer_column(writer_, 1, &column, nullptr), NUMPACT_OK);
  EXPECT_STREQ(column.name, "id");
  EXPECT_STREQ(column.compression, "pco");
  EXPECT_EQ(column.dtype, NUMPACT_DTYPE_INT64);
  EXPECT_EQ(numpact_collection_writer_column(writer_, 2, &column, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(open(), NUMPACT_OK) << why_;  // the rows before
  numpact_cvc_reader* const before = reader_;
  reader_ = nullptr;
  ASSERT_EQ(write({text.data(), ids}, 2), NUMPACT_OK) << why_;
  numpact_cvc_report report = {};
  report.struct_size = sizeof report;
  ASSERT_EQ(commit(&report), NUMPACT_OK) << why_;
  EXPECT_EQ(report.rows, 2u);
  ASSERT_EQ(open(), NUMPACT_OK) << why_;
  EXPECT_EQ(numpact_cvc_reader_rows(before), 3u);
  numpact_cvc_reader_destroy(before);
  ASSERT_EQ(numpact_cvc_reader_rows(reader_), 5u);
  const std::uint64_t picked[] = {4, 0, 2};
  std::int64_t found[3];
  ASSERT_EQ(numpact_cvc_reader_gather(reader_, nullptr, picked, 3, 1, NUMPACT_DTYPE_INT64, found, 0,
                                      nullptr),
            NUMPACT_OK);
  EXPECT_EQ(std::vector<std::int64_t>(found, found + 3), (std::vector<std::int64_t>{20, 10, 30}));
  std::vector<float> all(10);
  ASSERT_EQ(numpact_cvc_reader_read(reader_, nullptr, 0, 5, 0, NUMPACT_DTYPE_FLOAT32, all.data(), 0,
                                    nullptr),
            NUMPACT_OK);
  EXPECT_EQ(all, (std::vector<float>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4}));
  // Without rows nothing changes; without columns they are those that there are.
  ASSERT_EQ(begin(), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(&report), NUMPACT_OK) << why_;
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(commit(), NUMPACT_INVALID_ARGUMENT);
  EXPECT_TRUE(says("already")) << why_;
}

TEST_F(CollectionInC, NewColumnsHaveDefaults) {
  ASSERT_EQ(begin({column_of(nullptr, 3, NUMPACT_DTYPE_FLOAT16)}), NUMPACT_OK) << why_;
  numpact_cvc_column column = column_of("", 0, 0);
  ASSERT_EQ(numpact_collection_writer_column(writer_, 0, &column, nullptr), NUMPACT_OK);
  EXPECT_STREQ(column.name, "vectors");
  EXPECT_STREQ(column.compression, "fp16");
  ASSERT_EQ(begin({column_of("i", 3, NUMPACT_DTYPE_INT8)}), NUMPACT_OK) << why_;
  ASSERT_EQ(numpact_collection_writer_column(writer_, 0, &column, nullptr), NUMPACT_OK);
  EXPECT_STREQ(column.compression, "none");
  close();
  EXPECT_EQ(open(), NUMPACT_INVALID_ARGUMENT);  // nothing was committed
  EXPECT_TRUE(says("documents") && says("no files yet")) << why_;
}

TEST_F(CollectionInC, RefusedValuesAreNamedByTheirNewRow) {
  const std::vector<numpact_cvc_column> columns = {
      column_of("text", 2, NUMPACT_DTYPE_FLOAT32, "int8_dim")};
  std::vector<float> rows(20, 0.5f);
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  ASSERT_EQ(write({rows.data()}, 10), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  rows[2 * 7 + 1] = NAN;
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  ASSERT_EQ(write({rows.data()}, 10), NUMPACT_OK) << why_;
  EXPECT_EQ(commit(), NUMPACT_INVALID_ARGUMENT);  // the chunk ends with the file
  EXPECT_TRUE(says("documents: column 'text': row 7, dimension 1 (nan)")) << why_;
  options_.chunk_rows = 5;
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  EXPECT_EQ(write({rows.data()}, 10), NUMPACT_INVALID_ARGUMENT);
  EXPECT_TRUE(says("documents: column 'text': row 7, dimension 1 (nan)")) << why_;
  EXPECT_EQ(write({rows.data()}, 1), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(commit(), NUMPACT_INVALID_ARGUMENT);
  options_.allow_nonfinite = 1;
  options_.is_nearest = 1;
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  ASSERT_EQ(write({rows.data()}, 10), NUMPACT_OK) << why_;
  numpact_cvc_report report = {};
  report.struct_size = sizeof report;
  ASSERT_EQ(commit(&report), NUMPACT_OK) << why_;
  EXPECT_EQ(report.lost, 4u);
  EXPECT_EQ(report.rows, 10u);
}

TEST_F(CollectionInC, RowsOfOtherFiles) {
  numpact_cvc_options file;
  numpact_cvc_options_init(&file);
  file.compression = "int8_row";
  file.dimension = 2;
  numpact_cvc_writer* made = nullptr;
  ASSERT_EQ(numpact_cvc_writer_create(nullptr, &file, &made, nullptr), NUMPACT_OK);
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  const void* bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(numpact_cvc_writer_append(made, NUMPACT_DTYPE_FLOAT32, rows.data(), 3, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(numpact_cvc_writer_finish(made, &bytes, &size, nullptr), NUMPACT_OK);
  numpact_cvc_reader* from = nullptr;
  ASSERT_EQ(numpact_cvc_reader_create(nullptr, bytes, size, &from, nullptr), NUMPACT_OK);
  ASSERT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT32)}), NUMPACT_OK) << why_;
  EXPECT_EQ(numpact_collection_writer_copy(writer_, nullptr, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(numpact_collection_writer_copy(writer_, from, why_, sizeof why_, nullptr), NUMPACT_OK)
      << why_;
  ASSERT_EQ(write({rows.data()}, 3), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  ASSERT_EQ(open(), NUMPACT_OK) << why_;
  EXPECT_EQ(numpact_cvc_reader_rows(reader_), 6u);
  ASSERT_EQ(begin(), NUMPACT_OK) << why_;
  ASSERT_EQ(numpact_collection_writer_copy(writer_, reader_, why_, sizeof why_, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  ASSERT_EQ(open(), NUMPACT_OK) << why_;
  std::vector<float> all(24);
  ASSERT_EQ(numpact_cvc_reader_read(reader_, nullptr, 0, 12, 0, NUMPACT_DTYPE_FLOAT32, all.data(),
                                    0, nullptr),
            NUMPACT_OK);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], rows[i % 6], 0.01F) << i;
  path_ += "2";
  ASSERT_EQ(begin({column_of("text", 3, NUMPACT_DTYPE_FLOAT32)}), NUMPACT_OK) << why_;
  EXPECT_EQ(numpact_collection_writer_copy(writer_, from, why_, sizeof why_, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_TRUE(says("the collection has 'text' (3 float32)")) << why_;
  numpact_cvc_reader_destroy(from);
  numpact_cvc_writer_destroy(made);
}

TEST_F(CollectionInC, Errors) {
  const std::vector<numpact_cvc_column> columns = {column_of("text", 2, NUMPACT_DTYPE_FLOAT32)};
  EXPECT_EQ(open(), NUMPACT_IO);
  EXPECT_TRUE(says("documents")) << why_;
  EXPECT_EQ(begin(), NUMPACT_INVALID_ARGUMENT);
  EXPECT_TRUE(says("a new collection needs columns")) << why_;
  EXPECT_EQ(begin({column_of("text", 2, 99)}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT64)}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT32, "int9")}), NUMPACT_INVALID_ARGUMENT);
  numpact_error error;
  numpact_error_init(&error);
  const numpact_cvc_column unknown = column_of("text", 2, NUMPACT_DTYPE_FLOAT32, "int9");
  options_.columns = &unknown;
  EXPECT_EQ(
      numpact_collection_append(nullptr, path_.c_str(), &options_, &writer_, nullptr, 0, &error),
      NUMPACT_INVALID_ARGUMENT);
  for (const cvc::Compression compression : cvc::kCompressions) {
    const std::string name(cvc::name_of(compression));
    EXPECT_NE(std::string(error.text).find(name), std::string::npos) << name;
  }
  numpact_cvc_column half = columns[0];
  half.struct_size = offsetof(numpact_cvc_column, dimension) + 3;
  EXPECT_EQ(begin({half}), NUMPACT_INVALID_ARGUMENT);
  options_.struct_size = 3;
  EXPECT_EQ(begin(columns), NUMPACT_INVALID_ARGUMENT);
  options_.struct_size = sizeof options_;
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  EXPECT_EQ(write({nullptr}, 1), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_collection_writer_write(writer_, nullptr, 0, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_cvc_report report = {};
  EXPECT_EQ(commit(&report), NUMPACT_INVALID_ARGUMENT);  // its size is not set
  const float rows[] = {1, 2};
  ASSERT_EQ(write({rows}, 1), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  EXPECT_EQ(begin({column_of("text", 3, NUMPACT_DTYPE_FLOAT32)}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_TRUE(says("'text' (2 float32)")) << why_;
  EXPECT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT16)}), NUMPACT_TYPE_MISMATCH);
  // Another writer waits.
  ASSERT_EQ(begin(columns), NUMPACT_OK) << why_;
  numpact_collection_writer* other = nullptr;
  EXPECT_EQ(numpact_collection_append(nullptr, path_.c_str(), &options_, &other, why_, sizeof why_,
                                      nullptr),
            NUMPACT_TIMED_OUT);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(numpact_collection_open(nullptr, nullptr, &reader_, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(
      numpact_collection_append(nullptr, path_.c_str(), nullptr, nullptr, nullptr, 0, nullptr),
      NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_collection_writer_commit(nullptr, nullptr, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST_F(CollectionInC, OptionsOfEverySize) {
  numpact_collection_options options;
  numpact_collection_options_init(&options);
  const std::vector<float> rows(8, 1.0f);
  const numpact_cvc_column column = column_of("text", 2, NUMPACT_DTYPE_FLOAT32);
  ASSERT_EQ(begin({column}), NUMPACT_OK) << why_;
  ASSERT_EQ(write({rows.data()}, 4), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  close();
  for (std::size_t size = 0; size <= sizeof options + 8; ++size) {
    alignas(numpact_collection_options) std::byte bytes[sizeof options + 8] = {};
    std::memcpy(bytes, &options, sizeof options);
    std::memcpy(bytes, &size, sizeof size);
    using T = numpact_collection_options;
    bool is_right = size >= sizeof size;
    for (const auto& [begin, end] :
         {std::pair{offsetof(T, columns), offsetof(T, column_count)},
          std::pair{offsetof(T, column_count), offsetof(T, chunk_rows)},
          std::pair{offsetof(T, chunk_rows), offsetof(T, metadata)},
          std::pair{offsetof(T, metadata), offsetof(T, lock_timeout_ms)},
          std::pair{offsetof(T, lock_timeout_ms), offsetof(T, allow_nonfinite)},
          std::pair{offsetof(T, allow_nonfinite), offsetof(T, is_nearest)},
          std::pair{offsetof(T, is_nearest), sizeof(T)}}) {
      is_right = is_right && (size <= begin || size >= end);
    }
    EXPECT_EQ(numpact_collection_append(nullptr, path_.c_str(), reinterpret_cast<T*>(bytes),
                                        &writer_, nullptr, 0, nullptr),
              is_right ? NUMPACT_OK : NUMPACT_INVALID_ARGUMENT)
        << size;
    close();
  }
}

// A context serves one call at a time, and its progress function stops a call.
struct Hook {
  numpact_context* context = nullptr;
  numpact_collection_writer* writer = nullptr;
  int calls = 0;
  int stops_at = -1;
};

TEST_F(CollectionInC, HooksOfAContext) {
  Hook hook;
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.progress_opaque = &hook;
  options.progress = [](void* opaque, std::uint64_t, std::uint64_t) {
    Hook& self = *static_cast<Hook*>(opaque);
    EXPECT_EQ(numpact_collection_writer_commit(self.writer, nullptr, nullptr, 0, nullptr),
              NUMPACT_INVALID_ARGUMENT);
    std::uint64_t count = 0;
    EXPECT_EQ(numpact_count(self.context, "", 0, &count, nullptr), NUMPACT_INVALID_ARGUMENT);
    return self.calls++ == self.stops_at ? 0 : 1;
  };
  ASSERT_EQ(numpact_context_create(&options, &hook.context, nullptr), NUMPACT_OK);
  const std::vector<float> rows(8, 1.0f);
  options_.chunk_rows = 1;
  ASSERT_EQ(begin({column_of("text", 2, NUMPACT_DTYPE_FLOAT32)}, hook.context), NUMPACT_OK) << why_;
  hook.writer = writer_;
  ASSERT_EQ(write({rows.data()}, 4), NUMPACT_OK) << why_;
  EXPECT_GT(hook.calls, 0);
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  hook.writer = nullptr;  // which begin() destroys
  ASSERT_EQ(begin({}, hook.context), NUMPACT_OK) << why_;
  hook.writer = writer_;
  hook.stops_at = hook.calls;
  EXPECT_EQ(write({rows.data()}, 4), NUMPACT_CANCELLED);
  close();
  numpact_context_destroy(hook.context);
  ASSERT_EQ(open(), NUMPACT_OK);
  EXPECT_EQ(numpact_cvc_reader_rows(reader_), 4u);
}

}  // namespace
}  // namespace numpact
