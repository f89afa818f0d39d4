// SPDX-License-Identifier: Apache-2.0
// Writes tables: folders on disk (numpact/table_writer.hpp).
#include "numpact/table_writer.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "manifest_tuple.hpp"
#include "numpact/executor.hpp"
#include "own_process.hpp"
#include "rounding.hpp"
#include "table_reader.hpp"

namespace numpact::python {
namespace {

using table::Failure;

std::string path_of(const nb::bytes& path) { return {path.c_str(), path.size()}; }

nb::bytes given(const std::string& path) { return nb::bytes(path.data(), path.size()); }

// A TableWriter. Columns may be written by several threads, each by one at a time; all else is for
// one thread. close() discards what was not committed.
class TableWriter {
 public:
  // "create" and "replace" write a table with the columns of a manifest; "append" and "compact"
  // have none.
  TableWriter(const nb::bytes& folder, nb::handle manifest, std::string_view work, unsigned level,
              std::optional<unsigned> trailer, unsigned threads,
              std::optional<std::uint64_t> timeout_ms) {
    table::WriterConfig config;
    config.encode = encode_config(level, "auto", "auto", nb::none());
    config.encode.trailer = trailer_spec(trailer);
    if (work == "compact" && threads > 1) {
      // How many columns there are is not known yet: they share the threads.
      executor_ = std::make_unique<ThreadExecutor>(threads);
      config.encode.executor = executor_.get();
    } else {
      set_threads(config.encode, threads, 2);
    }
    config.lock = lock_config(timeout_ms, signals_);
    folder_ = path_of(folder);
    std::optional<table::Manifest> described;
    if (!manifest.is_none()) described = manifest_in(manifest);
    std::unique_ptr<table::TableWriter> made;
    run([&](Failure* failure) {
      auto writer = described ? table::TableWriter::create(folder_, *described, work == "replace",
                                                           config, failure)
                    : work == "compact" ? table::TableWriter::compact(folder_, config, failure)
                                        : table::TableWriter::append(folder_, config, failure);
      if (writer.ok()) made = std::make_unique<table::TableWriter>(std::move(*writer));
      return writer.status();
    });
    sinks_.resize(made->plan().columns.size());
    writer_ = std::move(made);
  }

  nb::tuple before() { return manifest_tuple(open().plan().before); }
  // Of an append: the columns of the rows, and whether they may differ.
  void set_rows(nb::handle rows, bool may_extend) {
    const table::Manifest described = manifest_in(rows);
    using table::SchemaChange;
    run([&](Failure* failure) {
      return open().set_rows(described, may_extend ? SchemaChange::kExtend : SchemaChange::kNone,
                             failure);
    });
    sinks_.assign(open().plan().columns.size(), nullptr);
  }
  // The columns that the table will have, with the counts and files of those before.
  nb::tuple after() { return manifest_tuple(open().plan().after); }
  // The place of a column in the rows; None: they do not have it.
  std::optional<std::size_t> source(std::size_t column) { return planned(column).source; }
  void rewrite_other(std::size_t column, const std::string& type) {
    run([&](Failure* failure) { return open().rewrite_other(column, type, failure); });
  }
  // The files of another column whose rows come before the new ones in its new file.
  nb::tuple copied(std::size_t column) {
    nb::list parts;
    for (const table::Part& part : planned(column).others) parts.append(part_tuple(part));
    return nb::tuple(parts);
  }
  // Where the new file of a column is until commit().
  nb::bytes path(std::size_t column) { return given(open().path_of(planned(column).file)); }

  void write(std::size_t column, const ConstArray& array, std::optional<ConstArray> valid) {
    const NumberView numbers = numbers_of(array);
    std::span<const std::uint8_t> flags;
    if (valid) {
      flags = {static_cast<const std::uint8_t*>(valid->data()), valid->size() * valid->itemsize()};
    }
    run([&](Failure* failure) { return open().write(column, numbers, flags, failure); });
  }
  void set_rounding(std::size_t column, std::string_view kind, double value,
                    std::optional<ConstArray> fill) {
    const RoundingSpec spec = rounding_spec(kind, value, fill);
    run([&](Failure* failure) { return open().set_rounding(column, spec, failure); });
  }
  nb::object rounding(std::size_t column) {
    const RoundingReport* const report = open().rounding(column);
    if (report == nullptr) return nb::none();
    return rounding_tuple(*report);
  }
  void finish(std::size_t column) {
    run([&](Failure* failure) { return open().finish(column, 0, failure); });
  }
  static std::span<const std::uint8_t> flags_of(const std::optional<ConstArray>& valid) {
    if (!valid) return {};
    return {static_cast<const std::uint8_t*>(valid->data()), valid->size() * valid->itemsize()};
  }
  static table::TextRows text_rows(const ConstArray& offsets, const Bytes& bytes,
                                   const std::optional<ConstArray>& valid) {
    const NumberView given = numbers_of(offsets);
    if (given.type != NumberType::kU64 || given.count == 0) {
      throw nb::type_error("offsets are not uint64");
    }
    const std::span ends(static_cast<const std::uint64_t*>(given.data), given.count);
    table::TextRows rows;
    rows.bytes = {reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()};
    rows.begin = ends[0];
    rows.ends = ends.subspan(1);
    rows.valid = flags_of(valid);
    return rows;
  }
  // Of an other column: it becomes one of texts, if these repeat. `like`: a column of texts.
  void begin_texts(std::size_t column, nb::handle like) {
    const table::Column described = column_in(like);
    run([&](Failure* failure) { return open().begin_texts(column, described, failure); });
  }
  // Texts by their offsets, (rows + 1,) of uint64, and bytes. False: they do not repeat.
  bool add_texts(std::size_t column, const ConstArray& offsets, nb::handle source,
                 std::optional<ConstArray> valid) {
    const Bytes bytes(source);
    const table::TextRows rows = text_rows(offsets, bytes, valid);
    bool is_taken = false;
    run([&](Failure* failure) { return open().add_texts(column, rows, failure).into(is_taken); });
    return is_taken;
  }
  // Categories as texts, and rows by their places, (rows,) of uint32. False: they are too many.
  bool add_categories(std::size_t column, const ConstArray& offsets, nb::handle source,
                      std::optional<ConstArray> known, const ConstArray& places,
                      std::optional<ConstArray> valid) {
    const Bytes bytes(source);
    const table::TextRows texts = text_rows(offsets, bytes, known);
    const NumberView given = numbers_of(places);
    if (given.type != NumberType::kU32) throw nb::type_error("places are not uint32");
    const std::span rows(static_cast<const std::uint32_t*>(given.data), given.count);
    bool is_taken = false;
    run([&](Failure* failure) {
      return open().add_categories(column, texts, rows, flags_of(valid), failure).into(is_taken);
    });
    return is_taken;
  }
  bool finish_texts(std::size_t column) {
    bool is_taken = false;
    run([&](Failure* failure) { return open().finish_texts(column, failure).into(is_taken); });
    return is_taken;
  }
  // The rows so far: the offsets and bytes of the different texts, the place of that of each row,
  // and a byte a row, 0 for null rows, or none.
  nb::tuple take_texts(std::size_t column) {
    table::TakenTexts taken;
    run([&](Failure* failure) { return open().take_texts(column, failure).into(taken); });
    const auto copy = [](NumberType type, const auto& values) {
      NewArray made(type, values.size());
      if (!values.empty()) {
        std::memcpy(made.view().data, values.data(), values.size() * sizeof(values[0]));
      }
      return made.release(values.size());
    };
    const std::string_view bytes = taken.texts.bytes();
    return nb::make_tuple(copy(NumberType::kU64, taken.texts.offsets()),
                          nb::bytes(bytes.data(), bytes.size()),
                          copy(NumberType::kU32, taken.codes), copy(NumberType::kU8, taken.valid));
  }
  void begin_other(std::size_t column) {
    static_cast<void>(planned(column));
    run([&](Failure* failure) { return open().begin_other(column, failure).into(sinks_[column]); });
  }
  void write_bytes(std::size_t column, nb::handle source) {
    const std::string& file = planned(column).file;
    if (sinks_[column] == nullptr) throw nb::value_error("the column is not being written");
    const Bytes bytes(source);
    run([&](Failure* failure) {
      const Status status = sinks_[column]->write(bytes.span());
      if (!status.ok()) failure->file = folder_ + "/" + file;
      return status;
    });
  }
  void finish_other(std::size_t column, std::uint64_t rows, const std::string& type) {
    sinks_.at(column) = nullptr;
    run([&](Failure* failure) { return open().finish_other(column, rows, type, failure); });
  }
  // Where files stay that came into the old folder meanwhile; empty: nowhere.
  nb::bytes commit() {
    run([&](Failure* failure) { return open().commit(failure); });
    return given(open().leftover());
  }
  void close() {
    sinks_.clear();
    writer_.reset();
  }

 private:
  table::TableWriter& open() {
    if (!writer_) throw nb::value_error("the table was closed");
    return *writer_.operator->();
  }
  const table::ColumnPlan& planned(std::size_t column) {
    const auto& columns = open().plan().columns;
    if (column >= columns.size()) throw nb::index_error("the table has no such column");
    return columns[column];
  }
  template <class Work>
  void run(const Work& work) {
    run_table_work(work, &signals_);
  }

  std::string folder_;
  std::unique_ptr<ThreadExecutor> executor_;
  PythonProgress signals_;  // looks for Ctrl-C while a lock is waited for
  Owned<table::TableWriter> writer_;
  std::vector<ByteSink*> sinks_;  // of other columns that are being written
};

nb::bytes move_table(const nb::bytes& made, const nb::bytes& folder) {
  PythonProgress signals;
  std::string kept;
  run_table_work(
      [&](Failure* failure) {
        return table::move_table(path_of(made), path_of(folder), lock_config({}, signals), failure,
                                 &kept);
      },
      &signals);
  return given(kept);
}

}  // namespace

void bind_table_writer(nb::module_& m) {
  nb::class_<TableWriter>(m, "TableWriter")
      .def(nb::init<const nb::bytes&, nb::handle, std::string_view, unsigned,
                    std::optional<unsigned>, unsigned, std::optional<std::uint64_t>>(),
           nb::arg("folder"), nb::arg("manifest").none(), nb::arg("work"), nb::arg("level"),
           nb::arg("trailer").none(), nb::arg("threads"), nb::arg("timeout_ms").none())
      .def("before", &TableWriter::before)
      .def("set_rows", &TableWriter::set_rows, nb::arg("rows"), nb::arg("may_extend"))
      .def("after", &TableWriter::after)
      .def("source", &TableWriter::source, nb::arg("column"))
      .def("rewrite_other", &TableWriter::rewrite_other, nb::arg("column"), nb::arg("type"))
      .def("copied", &TableWriter::copied, nb::arg("column"))
      .def("path", &TableWriter::path, nb::arg("column"))
      .def("write", &TableWriter::write, nb::arg("column"), nb::arg("numbers"),
           nb::arg("valid").none())
      .def("set_rounding", &TableWriter::set_rounding, nb::arg("column"), nb::arg("kind"),
           nb::arg("value"), nb::arg("fill").none())
      .def("rounding", &TableWriter::rounding, nb::arg("column"))
      .def("finish", &TableWriter::finish, nb::arg("column"))
      .def("begin_texts", &TableWriter::begin_texts, nb::arg("column"), nb::arg("like"))
      .def("add_texts", &TableWriter::add_texts, nb::arg("column"), nb::arg("offsets"),
           nb::arg("source"), nb::arg("valid").none())
      .def("add_categories", &TableWriter::add_categories, nb::arg("column"), nb::arg("offsets"),
           nb::arg("source"), nb::arg("known").none(), nb::arg("places"), nb::arg("valid").none())
      .def("finish_texts", &TableWriter::finish_texts, nb::arg("column"))
      .def("take_texts", &TableWriter::take_texts, nb::arg("column"))
      .def("begin_other", &TableWriter::begin_other, nb::arg("column"))
      .def("write_bytes", &TableWriter::write_bytes, nb::arg("column"), nb::arg("source"))
      .def("finish_other", &TableWriter::finish_other, nb::arg("column"), nb::arg("rows"),
           nb::arg("type"))
      .def("commit", &TableWriter::commit)
      .def("close", &TableWriter::close);
  m.def("move_table", &move_table, nb::arg("made"), nb::arg("folder"));
}

}  // namespace numpact::python
