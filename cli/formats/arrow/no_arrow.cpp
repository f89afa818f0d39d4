// SPDX-License-Identifier: Apache-2.0
// Replaces the formats that need Arrow in a build without it.
#include <fmt/format.h>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"

namespace numpact::cli {
namespace {

[[noreturn]] void refuse(const std::string& file, std::string_view format) {
  fail(file, "this build of numpact has no Arrow, which {} needs", format);
}

[[noreturn]] void refuse(const OutputFile& file, const OutputPlan& plan, std::string_view format) {
  check_table_columns(file, plan);
  refuse(file.name(), format);
}

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input, const InputOptions&) {
  refuse(input->name(), "Parquet");
}

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input, const InputOptions&) {
  refuse(input->name(), "Arrow IPC");
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input, const InputOptions&) {
  refuse(input->name(), "Arrow IPC");
}

std::unique_ptr<TableOutput> make_parquet(OutputFile& file, const OutputPlan& plan) {
  refuse(file, plan, "Parquet");
}

std::unique_ptr<TableOutput> make_arrow_file(OutputFile& file, const OutputPlan& plan) {
  refuse(file, plan, "Arrow IPC");
}

std::unique_ptr<TableOutput> make_arrow_stream(OutputFile& file, const OutputPlan& plan) {
  refuse(file, plan, "Arrow IPC");
}

bool has_arrow() { return false; }

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFiles>& columns,
                                         const ValueLimitsRef&) {
  refuse(columns[0][0].file->name(), "a column that is not of numbers");
}

OtherColumn write_text(TextInput&, const std::string&, ByteSink&, const std::string& place) {
  refuse(place, "a column of text");
}

OtherColumn join_others(const JoinedRows& rows, ByteSink&) {
  refuse(rows.like.file->name(), "a column that is not of numbers");
}

}  // namespace numpact::cli
