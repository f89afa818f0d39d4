// SPDX-License-Identifier: Apache-2.0
// Writes one array of rows, with or without NumPy's header.
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "cvc/element.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/npy_header.hpp"

namespace numpact::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

std::span<const std::byte> bytes_of_rows(const cvc::Rows& rows) {
  return {static_cast<const std::byte*>(rows.data),
          static_cast<std::size_t>(rows.count * rows.dimension * size_of(rows.dtype))};
}

class RawOutput final : public VectorOutput {
 public:
  explicit RawOutput(OutputFile& file) : file_(file) {}
  void write(std::span<const cvc::Rows> columns) override { file_.put(bytes_of_rows(columns[0])); }
  void finish() override {}

 private:
  OutputFile& file_;
};

class NpyOutput final : public VectorOutput {
 public:
  NpyOutput(OutputFile& file, const VectorColumn& column, std::optional<std::uint64_t> rows)
      : file_(file), column_(column), planned_(rows.value_or(0)) {
    if (column.dtype == cvc::Dtype::kBFloat16) {
      fail_usage(file.name(), "NumPy has no bfloat16 (--dtype float32 or float16)");
    }
    if (!rows && !file.can_patch()) {
      throw Failure(ExitCode::kFailure, file.name(), "the number of rows is not known");
    }
    file_.put(header(planned_));
  }

  void write(std::span<const cvc::Rows> columns) override {
    file_.put(bytes_of_rows(columns[0]));
    count_ += columns[0].count;
  }

  void finish() override {
    if (count_ == planned_) return;
    const std::string text = header(count_);
    file_.patch(0, std::as_bytes(std::span(text)));
  }

 private:
  std::string header(std::uint64_t rows) const {
    std::vector<std::uint64_t> shape{rows};
    if (column_.shape == Shape::kList) shape.push_back(column_.dimension);
    return npy_header(element_of(column_.dtype).type, shape);
  }

  OutputFile& file_;
  VectorColumn column_;
  std::uint64_t planned_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<VectorOutput> make_raw_vectors(OutputFile& file, const VectorPlan& plan) {
  only_column(file, plan);
  return std::make_unique<RawOutput>(file);
}

std::unique_ptr<VectorOutput> make_npy_vectors(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<NpyOutput>(file, only_column(file, plan), plan.rows);
}

}  // namespace numpact::cli
