// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "cvc/vecs.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"

namespace numpact::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

class VecsOutput final : public VectorOutput {
 public:
  VecsOutput(OutputFile& file, const VectorColumn& column, cvc::Dtype dtype) : file_(file) {
    if (column.dtype != dtype) {
      fail_usage(file.name(), fmt::format("this format holds {}, not {}", name_of(dtype),
                                          name_of(column.dtype)));
    }
    if (column.dimension < 1 || column.dimension > std::numeric_limits<std::int32_t>::max()) {
      fail_usage(file.name(),
                 fmt::format("this format has no rows of {} numbers", column.dimension));
    }
  }

  void write(std::span<const cvc::Rows> columns) override {
    const cvc::Rows& rows = columns[0];
    const auto bytes = static_cast<std::size_t>(rows.dimension) * size_of(rows.dtype);
    const auto dimension = static_cast<std::int32_t>(rows.dimension);
    std::byte head[kVecsHeadBytes];
    std::memcpy(head, &dimension, sizeof head);
    const auto* from = static_cast<const std::byte*>(rows.data);
    for (std::uint64_t row = 0; row < rows.count; ++row) {
      file_.put(head);
      file_.put(std::span(from + row * bytes, bytes));
    }
  }
  void finish() override {}

 private:
  OutputFile& file_;
};

}  // namespace

std::unique_ptr<VectorOutput> make_fvecs(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<VecsOutput>(file, only_column(file, plan), cvc::Dtype::kFloat32);
}

std::unique_ptr<VectorOutput> make_bvecs(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<VecsOutput>(file, only_column(file, plan), cvc::Dtype::kUInt8);
}

std::unique_ptr<VectorOutput> make_ivecs(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<VecsOutput>(file, only_column(file, plan), cvc::Dtype::kInt32);
}

}  // namespace numpact::cli
