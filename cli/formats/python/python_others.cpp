// SPDX-License-Identifier: Apache-2.0
// Files of columns that Pco cannot hold, with pyarrow.
#include <memory>
#include <utility>

#include "failure.hpp"
#include "formats/arrow/array_output.hpp"
#include "formats/others.hpp"
#include "formats/python/python_calls.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kNeeds = "A column that is not of numbers";

PythonObject other_files(const std::string& place) {
  return tables_module("other_files", kNeeds, place);
}

class PythonReader final : public OtherReader {
 public:
  PythonReader(const std::vector<OtherFiles>& columns, ValueLimitsRef limits)
      : files_(columns),
        limits_(limits != nullptr ? std::move(limits) : std::make_shared<ValueLimits>()) {
    const PythonObject module = other_files(columns[0][0].file->name());
    for (const OtherFiles& column : columns) {
      places_.push_back(place_of(column[0]));
      with_python(places_.back(), [&] {
        nb::object made = module.call("OtherColumn", files_for_python(column));
        const auto kind = nb::cast<std::string>(made.attr("kind"));
        kinds_.push_back(kind == "text"      ? OtherKind::kText
                         : kind == "decimal" ? OtherKind::kDecimal
                                             : OtherKind::kOpaque);
        columns_.emplace_back(std::move(made));
      });
    }
  }

  OtherKind kind(std::size_t column) const override { return kinds_[column]; }

  TextBlock read(std::size_t column, std::uint64_t first, std::uint64_t rows,
                 DecodeUse use) override {
    TextBlock block;
    with_python(places_[column], [&] {
      const nb::object blocks = columns_[column].call("texts", first, rows, use == DecodeUse::kAll,
                                                      limits_for_python(*limits_));
      for (const nb::handle texts : blocks) add_rows(texts, block);
    });
    return block;
  }

  void check(std::size_t column) override {
    with_python(places_[column],
                [&] { columns_[column].call("check", limits_for_python(*limits_)); });
  }

 private:
  std::vector<OtherFiles> files_;  // whose bytes Python reads
  ValueLimitsRef limits_;
  std::vector<PythonObject> columns_;
  std::vector<std::string> places_;
  std::vector<OtherKind> kinds_;
};

}  // namespace

bool has_arrow() {
  static const bool found = [] {
    try {
      other_files("");
      return true;
    } catch (const Failure&) {
      return false;  // no pyarrow
    }
  }();
  return found;
}

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFiles>& columns,
                                         const ValueLimitsRef& limits) {
  return std::make_unique<PythonReader>(columns, limits);
}

OtherColumn write_text(TextInput& input, const std::string& name, ByteSink& file,
                       const std::string& place) {
  const PythonObject module = other_files(place);
  const PythonSink sink(file, place);
  const PythonObject writer = sink.written(
      [&] { return PythonObject(module.call("TextFile", python_text(name), sink.function())); });
  for (;;) {
    const TextBlock& block = input.next();
    if (block.rows() == 0) {
      return sink.written([&] { return other_in(writer.call("close")); });
    }
    Owned<ArrowArray> made = export_texts(block, table::TextType::kString, place);
    sink.written([&] { writer.call("write", address_of(made)); });
  }
}

OtherColumn join_others(const JoinedRows& rows, ByteSink& file) {
  const std::string place = place_of(rows.last());
  const PythonObject module = other_files(place);
  const PythonSink sink(file, place);
  return sink.written([&] {
    nb::object added = nb::none();
    if (rows.added) added = file_for_python(*rows.added);
    return other_in(module.call("join", sink.function(), file_for_python(rows.like),
                                rows.nulls_before, files_for_python(rows.before), added,
                                rows.nulls_after, rows.may_widen,
                                python_text(table::to_string(rows.vectors))));
  });
}

}  // namespace numpact::cli
