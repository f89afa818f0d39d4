// SPDX-License-Identifier: Apache-2.0
// Reads tables with pyarrow.
#include <memory>
#include <utility>

#include "failure.hpp"
#include "formats/arrow/arrow_table.hpp"
#include "formats/formats.hpp"
#include "formats/python/python_calls.hpp"

namespace numpact::cli {
namespace {

// A Table of numpact._tables.reading.
class PythonSource final : public ArrowSource {
 public:
  // `open`: the function of the module that opens the format; `needs`: the start of the message if
  // pyarrow is missing.
  PythonSource(Input& input, const char* open, const char* needs)
      : name_(input.name()), reading_(tables_module("reading", needs, name_)) {
    // A regular file is mapped, a stream is read to its end.
    const bool is_file = input.size().value_or(0) > 0;
    const std::vector<std::byte> content = is_file ? std::vector<std::byte>() : input.read_rest();
    table_ = with_python(name_, [&] {
      nb::object source = python_bytes(content);
      if (is_file) source = nb::cast(input.file()->descriptor());
      return PythonObject(reading_.call(open, source));
    });
  }

  ArrowFields fields() override {
    ArrowFields made;
    with_python(name_, [&] {
      for (const nb::handle field : table_.call("fields", address_of(made.schema))) {
        made.fields.push_back({nb::cast<std::string>(field[0]), nb::cast<std::string>(field[1]),
                               nb::cast<bool>(field[2])});
        places_.push_back(column_place(name_, made.fields.back().name));
      }
    });
    return made;
  }

  std::optional<std::uint64_t> rows() const override {
    return with_python(name_, [&]() -> std::optional<std::uint64_t> {
      const nb::object rows = table_.call("rows");
      return rows.is_none() ? std::nullopt : std::optional(nb::cast<std::uint64_t>(rows));
    });
  }

  bool is_int96(std::size_t column) const override {
    return with_python(places_[column],
                       [&] { return nb::cast<bool>(table_.call("is_int96", column)); });
  }

  NextArray arrays(std::size_t column, const ArrayOptions& options) override {
    const std::string& place = places_[column];
    const auto unit = std::string(to_string(options.int96_unit));
    const auto arrays = std::make_shared<PythonObject>(with_python(
        place, [&] { return PythonObject(table_.call("arrays", column, options.rows, unit)); }));
    return [this, arrays, place, checks_values = options.checks_values] {
      Owned<ArrowArray> made;
      with_python(place, [&] {
        reading_.call("export_next", arrays->get(), address_of(made), checks_values);
      });
      return made;
    };
  }

  OtherColumn write_other(std::size_t column, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    const PythonSink sink(file, places_[column]);
    return sink.written([&] {
      nb::object form = nb::none();
      if (vectors) form = python_text(table::to_string(*vectors));
      return other_in(table_.call("write_other", column, sink.function(), form));
    });
  }

  void select(std::span<const std::uint64_t> rows) override {
    with_python(name_, [&] { table_.call("select", python_bytes(std::as_bytes(rows))); });
  }

 private:
  std::string name_;
  PythonObject reading_;
  PythonObject table_;
  std::vector<std::string> places_;  // of the columns
};

std::unique_ptr<TableInput> open(Input& input, const InputOptions& options, const char* open,
                                 const char* needs) {
  return table_of(std::make_unique<PythonSource>(input, open, needs), input.name(),
                  options.purpose);
}

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  return open(*input, options, "open_parquet", "Parquet");
}

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input,
                                            const InputOptions& options) {
  return open(*input, options, "open_arrow_file", "Arrow IPC");
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return open(*input, options, "open_arrow_stream", "Arrow IPC");
}

}  // namespace numpact::cli
