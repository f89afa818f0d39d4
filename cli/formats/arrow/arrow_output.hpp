// SPDX-License-Identifier: Apache-2.0
// Converts blocks of numbers to Arrow's record batches, which Parquet and Arrow IPC write.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/status.h>
#include <arrow/type.h>

#include <memory>
#include <span>
#include <vector>

#include "formats/table.hpp"

namespace arrow {
class Buffer;
class RecordBatch;
}  // namespace arrow

namespace numpact::cli {

std::shared_ptr<arrow::io::OutputStream> sink_to(ByteSink& file);
// Packs bytes, one per row, into bits.
std::shared_ptr<arrow::Buffer> validity_bits(std::span<const std::uint8_t> valid,
                                             const std::string& place);

class ArrowOtherColumn;

class ArrowOutput : public TableOutput {
 public:
  // Fails if tables cannot hold the columns.
  ArrowOutput(OutputFile& file, const OutputPlan& plan);
  ~ArrowOutput() override;

  // Copies the numbers, since writers may keep a batch until its row group is full.
  void write(std::span<const ColumnBlock> columns) override;
  void finish() override { check_output(close()); }

 protected:
  void check_output(const arrow::Status& status) const;
  const std::vector<Column>& columns() const { return columns_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  // Writes to the file.
  const std::shared_ptr<arrow::io::OutputStream>& sink() const { return sink_; }

 private:
  virtual arrow::Status write_batch(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Status close() = 0;

  OutputFile& file_;
  std::vector<Column> columns_;
  std::vector<ArrowOtherColumn> others_;  // of Column::other
  std::shared_ptr<arrow::io::OutputStream> sink_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace numpact::cli
