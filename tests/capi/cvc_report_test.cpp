// SPDX-License-Identifier: Apache-2.0
// What the writer of vectors reports through the C interface.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numpact/numpact.h"

namespace {

TEST(CInterface, VectorsThatLoseValues) {
  numpact_cvc_options options;
  numpact_cvc_options_init(&options);
  options.compression = "fp16";
  options.dimension = 3;
  options.chunk_rows = 4;
  std::vector<float> floats(30, 0.5f);
  floats[0] = 1e-9f;
  floats[1] = -2.98e-8f;  // about half of the least half
  floats[2] = 7e4f;
  numpact_cvc_writer* writer = nullptr;
  ASSERT_EQ(numpact_cvc_writer_create(nullptr, &options, &writer, nullptr), NUMPACT_OK);
  ASSERT_EQ(numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32, floats.data(), 10, nullptr),
            NUMPACT_OK);
  numpact_cvc_report report = {};
  EXPECT_EQ(numpact_cvc_writer_report(writer, &report, nullptr), NUMPACT_INVALID_ARGUMENT);
  report.struct_size = sizeof report;
  EXPECT_EQ(numpact_cvc_writer_report(nullptr, &report, nullptr), NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(numpact_cvc_writer_report(writer, &report, nullptr), NUMPACT_OK);
  EXPECT_EQ(report.rows, 0u);
  const void* bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(numpact_cvc_writer_finish(writer, &bytes, &size, nullptr), NUMPACT_OK);
  ASSERT_EQ(numpact_cvc_writer_report(writer, &report, nullptr), NUMPACT_OK);
  EXPECT_EQ(report.rows, 10u);
  EXPECT_EQ(report.chunks, 3u);
  EXPECT_EQ(report.bytes, size);
  EXPECT_EQ(report.overflows, 1u);
  EXPECT_EQ(report.underflows, 2u);
  EXPECT_EQ(report.lost, 0u);
  numpact_cvc_writer_destroy(writer);
}

}  // namespace
