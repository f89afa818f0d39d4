// SPDX-License-Identifier: Apache-2.0
// Writes tables with pyarrow.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/arrow/parquet_fit.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/python/python_calls.hpp"

namespace numpact::cli {
namespace {

nb::list categories_for_python(const table::TextValues* categories) {
  nb::list made;
  for (std::size_t i = 0; categories != nullptr && i < categories->size(); ++i) {
    made.append(nb::bytes((*categories)[i].data(), (*categories)[i].size()));
  }
  return made;
}

nb::dict column_for_python(const Column& column) {
  nb::dict made;
  made["name"] = python_text(column.name);
  made["type"] = std::string(name_of(column.type));
  made["kind"] = std::string(to_string(column.logical.kind));
  made["unit"] = std::string(to_string(column.logical.unit));
  made["timezone"] = python_text(column.logical.timezone);
  made["precision"] = column.logical.decimal.precision;
  made["scale"] = column.logical.decimal.scale;
  made["bits"] = column.logical.decimal.bits;
  made["text_type"] = column.text.empty() ? "" : type_text(column.text[0]);
  made["categories"] = categories_for_python(column.categories.get());
  made["list_size"] = column.is_list ? column.dimension : 0;
  made["nullable"] = column.nullable;
  made["metadata"] = metadata_for_python(column.metadata);
  return made;
}

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
    sink_.written([&] {
      nb::list columns;
      for (const Column& column : columns_) {
        if (!column.other) {
          columns.append(column_for_python(column));
          continue;
        }
        nb::list parts;
        for (const OtherFile& part : plan.others[*column.other]) {
          parts.append(file_for_python(part));
        }
        columns.append(parts);
      }
      output_ = PythonObject(writing.call("Output", format, columns,
                                          metadata_for_python(plan.metadata), sink_.function()));
    });
  }

  void write(std::span<const ColumnBlock> columns) override {
    if (columns[0].rows == 0) return;
    if (fit_) fit_->check(columns_, columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      check_booleans(columns[c].numbers, columns_[c]);
    }
    const std::uint64_t bytes = written([&] {
      nb::list blocks;
      for (std::size_t c = 0; c < columns.size(); ++c)
        blocks.append(block_of(columns_[c], columns[c]));
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

  void check_booleans(const NumberView& numbers, const Column& column) const {
    if (column.other || column.logical.kind != LogicalKind::kBool) return;
    const auto is_none = [](std::byte value) { return value > std::byte{1}; };
    const std::span<const std::byte> values = bytes_of(numbers);
    if (std::any_of(values.begin(), values.end(), is_none)) {
      throw Failure(ExitCode::kCorrupt, column_place(file_.name(), column.name),
                    "corrupt: a boolean is neither 0 nor 1");
    }
  }

  // Of other columns the first row and which of those from there on are taken, empty: `rows` of
  // them; of others the values.
  static nb::object block_of(const Column& column, const ColumnBlock& block) {
    if (column.other) {
      return nb::make_tuple(block.first_row, python_bytes(std::as_bytes(block.kept)));
    }
    if (block.texts != nullptr) return rows_of(*block.texts);
    return nb::make_tuple(python_bytes(bytes_of(block.numbers)),
                          python_bytes(std::as_bytes(block.valid)));
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
