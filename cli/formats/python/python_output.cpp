// SPDX-License-Identifier: Apache-2.0
// Writes tables with pyarrow.
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/arrow/array_output.hpp"
#include "formats/arrow/parquet_fit.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/python/python_calls.hpp"

namespace numpact::cli {
namespace {

class PythonOutput final : public TableOutput {
 public:
  PythonOutput(OutputFile& file, const OutputPlan& plan, const char* format, const char* needs)
      : file_(checked(file, plan)),
        columns_(plan.columns),
        limits_(plan.limits != nullptr ? plan.limits : std::make_shared<ValueLimits>()),
        sink_(file, file.name()) {
    if (std::string_view(format) == "parquet") fit_.emplace(file.name());
    if (!plan.others.empty()) others_place_ = place_of(plan.others[0].front());
    const PythonObject writing = tables_module("writing", needs, file.name());
    std::deque<Owned<ArrowSchema>> types;
    sink_.written([&] {
      nb::list columns;
      for (const Column& column : columns_) {
        if (!column.other) {
          Owned<ArrowSchema>& type = types.emplace_back(export_type(column));
          columns.append(nb::make_tuple(python_text(column.name), address_of(type), column.nullable,
                                        metadata_for_python(column.metadata)));
          continue;
        }
        columns.append(files_for_python(plan.others[*column.other]));
      }
      output_ = PythonObject(writing.call("Output", format, columns,
                                          metadata_for_python(plan.metadata), sink_.function()));
    });
  }

  void write(std::span<const ColumnBlock> columns) override {
    if (columns[0].rows == 0) return;
    if (fit_) fit_->check(columns_, columns);
    std::vector<Owned<ArrowArray>> arrays(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns_[c].other) continue;
      arrays[c] =
          export_rows(columns_[c], columns[c], column_place(file_.name(), columns_[c].name));
    }
    const std::uint64_t bytes = written([&] {
      nb::list blocks;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        columns_[c].other ? blocks.append(other_rows(columns[c]))
                          : blocks.append(address_of(arrays[c]));
      }
      return nb::cast<std::uint64_t>(
          output_.call("write", columns[0].rows, blocks, limits_for_python(*limits_)));
    });
    if (!others_place_.empty()) limits_->add_output(bytes, others_place_);
  }

  void finish() override {
    written([&] { output_.call("close"); });
  }

 private:
  template <class Call>
  std::invoke_result_t<Call> written(Call&& call) {
    try {
      return sink_.written(call);
    } catch (const Failure&) {
      file_.throw_if_failed();
      throw;
    }
  }

  // Checks the columns before pyarrow is imported.
  static OutputFile& checked(OutputFile& file, const OutputPlan& plan) {
    check_table_columns(file, plan);
    return file;
  }

  // The first row, and which of those from there on are taken; empty: all rows of the block.
  static nb::object other_rows(const ColumnBlock& block) {
    return nb::make_tuple(block.first_row, python_bytes(std::as_bytes(block.kept)));
  }

  OutputFile& file_;
  std::vector<Column> columns_;
  std::optional<ParquetFit> fit_;  // for Parquet
  ValueLimitsRef limits_;
  std::string others_place_;  // of the first of them; empty: there are none
  PythonSink sink_;
  PythonObject output_;
};

}  // namespace

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<PythonOutput>(file, plan, "parquet", "Parquet");
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<PythonOutput>(file, plan, "arrow", "Arrow IPC");
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<PythonOutput>(file, plan, "arrows", "Arrow IPC");
}

}  // namespace numpact::cli
