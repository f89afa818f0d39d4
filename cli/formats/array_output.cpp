// SPDX-License-Identifier: Apache-2.0
// Writes raw numbers and NumPy arrays: contiguous numbers, with or without a header.
#include <algorithm>
#include <bit>
#include <vector>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/npy_header.hpp"

namespace numpact::cli {
namespace {

void require_one_column(const OutputFile& file, const OutputPlan& plan) {
  if (plan.columns.size() == 1) return;
  fail_usage(file.name(), "this format holds one column (choose it with --column)");
}

class RawOutput final : public TableOutput {
 public:
  explicit RawOutput(OutputFile& file) : file_(file) {}

  void write(std::span<const ColumnBlock> columns) override {
    const std::span<const std::byte> bytes = bytes_of(columns[0].numbers);
    if constexpr (std::endian::native == std::endian::little) return file_.put(bytes);
    const std::size_t size = size_of(columns[0].numbers.type);
    std::vector<std::byte> swapped(bytes.begin(), bytes.end());
    for (std::size_t i = 0; i < swapped.size(); i += size) {
      std::reverse(swapped.data() + i, swapped.data() + i + size);
    }
    file_.put(swapped);
  }

  void finish() override {}

 private:
  OutputFile& file_;
};

class NpyOutput final : public TableOutput {
 public:
  NpyOutput(OutputFile& file, const OutputPlan& plan)
      : file_(file), type_(plan.columns[0].type), planned_(plan.count.value_or(0)) {
    if (!plan.count && !file.can_patch()) {
      throw Failure(ExitCode::kFailure, file.name(), "the count of numbers is not known");
    }
    file_.put(npy_header(type_, planned_));
  }

  void write(std::span<const ColumnBlock> columns) override {
    file_.put(bytes_of(columns[0].numbers));
    count_ += columns[0].numbers.count;
  }

  void finish() override {
    if (count_ == planned_) return;
    const std::string header = npy_header(type_, count_);
    file_.patch(0, std::as_bytes(std::span(header)));
  }

 private:
  OutputFile& file_;
  NumberType type_;
  std::uint64_t planned_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<TableOutput> make_raw(OutputFile& file, const OutputPlan& plan) {
  require_one_column(file, plan);
  return std::make_unique<RawOutput>(file);
}

std::unique_ptr<TableOutput> make_npy(OutputFile& file, const OutputPlan& plan) {
  require_one_column(file, plan);
  return std::make_unique<NpyOutput>(file, plan);
}

}  // namespace numpact::cli
