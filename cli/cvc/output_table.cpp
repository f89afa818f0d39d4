// SPDX-License-Identifier: Apache-2.0
// Writes vectors as columns of tables: lists of a fixed length.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cvc/element.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"

namespace numpact::cli {
namespace {

class TableVectorOutput final : public VectorOutput {
 public:
  TableVectorOutput(OutputFile& file, const VectorPlan& plan, MakeOutput* make) {
    OutputPlan table;
    table.count = plan.rows;
    for (const VectorColumn& column : plan.columns) table.columns.push_back(describe(file, column));
    output_ = make(file, table);
  }

  void write(std::span<const cvc::Rows> columns) override {
    views_.clear();
    for (const cvc::Rows& rows : columns) {
      const NumberView numbers(element_of(rows.dtype).type, rows.data,
                               static_cast<std::size_t>(rows.count * rows.dimension));
      views_.push_back({numbers, {}});
    }
    output_->write(views_);
  }

  void finish() override { output_->finish(); }

 private:
  static Column describe(const OutputFile& file, const VectorColumn& column) {
    Column made;
    made.name = column.name.empty() ? "vectors" : column.name;
    if (column.dtype == cvc::Dtype::kBFloat16) {
      fail_usage(file.name(), "tables have no bfloat16 (--dtype float32 or float16)");
    }
    if (column.dimension < 1 || column.dimension > std::numeric_limits<std::int32_t>::max()) {
      fail_usage(file.name(), fmt::format("tables have no lists of {} numbers", column.dimension));
    }
    made.type = element_of(column.dtype).type;
    made.list_size = column.shape == Shape::kScalar ? 0 : column.dimension;
    return made;
  }

  std::unique_ptr<TableOutput> output_;
  std::vector<ColumnBlock> views_;
};

}  // namespace

std::unique_ptr<VectorOutput> make_parquet_vectors(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<TableVectorOutput>(file, plan, make_parquet);
}

std::unique_ptr<VectorOutput> make_arrow_vectors(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<TableVectorOutput>(file, plan, make_arrow_file);
}

std::unique_ptr<VectorOutput> make_arrows_vectors(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<TableVectorOutput>(file, plan, make_arrow_stream);
}

}  // namespace numpact::cli
