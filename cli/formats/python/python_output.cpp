// SPDX-License-Identifier: Apache-2.0
// Writes tables through the Python helper, which returns the bytes of the file.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/arrow/parquet_fit.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/python/python_helper.hpp"

namespace numpact::cli {
namespace {

class HelperOutput final : public TableOutput {
 public:
  HelperOutput(OutputFile& file, const OutputPlan& plan, const char* format, const char* needs)
      : file_(checked(file, plan)),
        columns_(plan.columns),
        limits_(plan.limits != nullptr ? plan.limits : std::make_shared<ValueLimits>()),
        helper_({"write", format}, needs, file.name(), all_files(plan.others)) {
    if (std::string_view(format) == "parquet") fit_.emplace(file.name());
    Json request{{"verb", "create"},
                 {"columns", Json::array()},
                 {"metadata", metadata_to_json(plan.metadata)},
                 {"others", Json::array()}};
    for (const Column& column : columns_) {
      request["columns"].push_back(column.other ? Json{{"other", *column.other}}
                                                : column_to_json(column));
    }
    std::size_t number = 0;
    for (const OtherFiles& column : plan.others) {
      Json& parts = request["others"].emplace_back(Json::array());
      for (const OtherFile& part : column) parts.push_back(file_to_json(part, number++));
    }
    has_others_ = !plan.others.empty();
    if (has_others_) others_place_ = place_of(plan.others[0].front());
    helper_.send(request, file_.name());
    helper_.receive_into(file_, file_.name());
  }

  void write(std::span<const ColumnBlock> columns) override {
    if (columns[0].rows == 0) return;
    if (fit_) fit_->check(columns_, columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      check_booleans(columns[c].numbers, columns_[c]);
    }
    const std::uint64_t rows = columns[0].rows;
    send_rows(rows, columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns_[c].other) continue;
      if (columns[c].texts != nullptr) {
        send_texts(*columns[c].texts);
        continue;
      }
      helper_.send(bytes_of(columns[c].numbers), file_.name());
      helper_.send(std::as_bytes(columns[c].valid), file_.name());
    }
    helper_.receive_into(file_, file_.name());
    if (!has_others_) return;
    const Json answer = helper_.receive(file_.name());
    limits_->add_output(count_in(answer, "bytes", file_.name()), others_place_);
  }

  void finish() override {
    helper_.send({{"verb", "finish"}}, file_.name());
    helper_.receive_into(file_, file_.name());
    helper_.finish(file_.name());
  }

 private:
  // Checks the columns before the helper is started.
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

  void send_texts(const TextBlock& texts) {
    std::vector<std::uint64_t> offsets(1);
    offsets.insert(offsets.end(), texts.ends.begin(), texts.ends.end());
    helper_.send(std::as_bytes(std::span(texts.bytes)), file_.name());
    helper_.send(std::as_bytes(std::span(offsets)), file_.name());
    helper_.send(std::as_bytes(std::span(texts.valid)), file_.name());
  }

  // All other columns have the same rows.
  void send_rows(std::uint64_t rows, std::span<const ColumnBlock> columns) {
    Json request{{"verb", "rows"}, {"count", rows}};
    if (!has_others_) return helper_.send(request, file_.name());
    const auto other = std::find_if(columns_.begin(), columns_.end(),
                                    [](const Column& column) { return column.other.has_value(); });
    const ColumnBlock& block = columns[static_cast<std::size_t>(other - columns_.begin())];
    request["first"] = block.first_row;
    request["limits"] = limits_json(*limits_);
    helper_.send(request, file_.name());
    helper_.send(std::as_bytes(block.kept), file_.name());
  }

  OutputFile& file_;
  std::vector<Column> columns_;
  std::optional<ParquetFit> fit_;  // for Parquet
  ValueLimitsRef limits_;
  bool has_others_ = false;
  std::string others_place_;  // of the first of them
  PythonHelper helper_;
};

}  // namespace

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<HelperOutput>(file, plan, "parquet", "Parquet");
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<HelperOutput>(file, plan, "arrow", "Arrow IPC");
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<HelperOutput>(file, plan, "arrows", "Arrow IPC");
}

}  // namespace numpact::cli
