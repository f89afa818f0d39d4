// SPDX-License-Identifier: Apache-2.0
// Writing CVC files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "cvc_arrays.hpp"
#include "cvc_names.hpp"
#include "cvc_stored.hpp"
#include "numpact/cvc.hpp"
#include "numpact/cvc/collection.hpp"
#include "own_process.hpp"
#include "table_reader.hpp"

namespace numpact::python {
namespace {

// name, dimension, dtype, compression, is_vector
using ColumnTuple =
    std::tuple<std::string, std::uint64_t, std::string, std::optional<std::string>, bool>;

class CvcWriter {
 public:
  CvcWriter(const std::optional<std::string>& path, std::string_view version,
            std::string_view compression, std::uint64_t chunk_rows, bool paged,
            const std::vector<ColumnTuple>& columns, std::optional<std::uint64_t> dimension,
            std::optional<std::uint64_t> expected_rows, bool allow_nonfinite,
            std::string_view rounding, const std::string& metadata, unsigned threads, bool sync,
            std::optional<std::uint64_t> timeout_ms, bool appends, nb::handle like) {
    cvc::WriteConfig config;
    config.version = version_of(version);
    config.compression = compression_of(compression);
    config.chunk_rows = chunk_rows;
    config.paged = paged;
    for (const auto& [name, width, dtype, packed, is_vector] : columns) {
      const std::optional<cvc::Dtype> type = cvc::dtype_of_name(dtype);
      if (!type)
        raise_error(
            ErrorKind::kTypeMismatch,
            "columns cannot be of " + dtype + ": float32, float16, int32, int64, int8 or uint8");
      cvc::ColumnSpec spec{name, width, *type, std::nullopt, is_vector};
      if (packed) spec.compression = compression_of(*packed);
      config.columns.push_back(std::move(spec));
    }
    config.dimension = dimension;
    config.expected_rows = expected_rows;
    config.allow_nonfinite = allow_nonfinite;
    config.rounding = rounding_of(rounding);
    config.metadata = metadata;
    config.sync = sync;
    if (timeout_ms) config.lock.timeout = std::chrono::milliseconds(*timeout_ms);
    config.lock.while_waiting = [this](std::chrono::milliseconds) {
      return calling_->look_for_signals();
    };
    set_threads(config, threads, 2);
    if (appends) {
      PythonProgress progress;
      calling_ = &progress;
      std::optional<cvc::CollectionWriter> opened;
      const cvc::Reader* const file = like.is_none() ? nullptr : &cvc_reader_in(like);
      run_table_work(
          [&](table::Failure* failure) {
            auto found = file != nullptr
                             ? cvc::CollectionWriter::open_for(*path, *file, config, failure)
                             : cvc::CollectionWriter::open(*path, config, failure);
            if (found.ok()) opened = std::move(*found);
            return found.status();
          },
          &progress);
      collection_ = std::make_unique<cvc::CollectionWriter>(*std::move(opened));
      return;
    }
    Result<cvc::Writer> made =
        path ? cvc::Writer::create(*path, config) : cvc::Writer::create(out_, config);
    raise_if_error(made.status());
    writer_ = std::make_unique<cvc::Writer>(std::move(*made));
  }

  void append(const std::vector<ConstRows>& arrays) {
    std::vector<cvc::Rows> rows;
    for (const ConstRows& array : arrays) rows.push_back(rows_of(array));
    locked([&] { return writer().append(rows); });
  }
  // Adds the rows of a file to a collection.
  void copy(nb::handle reader) {
    const cvc::Reader& rows = cvc_reader_in(reader);
    change([&](table::Failure* failure) { return collection_->append(rows, failure); });
  }
  void begin_section(std::string_view metadata) {
    locked([&] { return writer().begin_section(metadata); });
  }
  void end_section() {
    locked([&] { return writer().end_section(); });
  }
  void end_chunk() {
    locked([&] { return writer().end_chunk(); });
  }
  void set_chunk(std::uint64_t chunk, std::optional<std::string> compression,
                 std::optional<std::string> metadata) {
    cvc::ChunkOptions options;
    if (compression) options.compression = compression_of(*compression);
    options.metadata = std::move(metadata);
    locked([&] { return writer().set_chunk(first_chunk() + chunk, options); });
  }
  // Rows, chunks, bytes, finite values that half precision made infinite, those that are lost next
  // to values that are not finite, and those that are too small.
  nb::tuple finish() {
    cvc::WriteReport report;
    if (collection_) {
      commit(report);
    } else {
      locked([&] { return writer_->finish().into(report); });
    }
    return nb::make_tuple(report.rows, report.chunks, report.bytes, report.overflows, report.lost,
                          report.underflows);
  }
  // Throws an unfinished file away, once no other thread works on it.
  void abort() {
    const GilRelease release;
    const std::lock_guard lock(mutex_);
    writer_.reset();
    collection_.reset();
  }
  // Of a collection: names, dimensions and types.
  nb::list columns() const {
    nb::list list;
    for (const cvc::ColumnSpec& column : collection_->columns()) {
      const std::string_view type = name_of(column.dtype);
      list.append(nb::make_tuple(column.name, column.dimension, nb::str(type.data(), type.size())));
    }
    return list;
  }
  // The file, where there is no path.
  nb::bytes contents() const { return nb::bytes(out_.data(), out_.size()); }

 private:
  cvc::Writer& writer() { return collection_ ? collection_->file() : *writer_.operator->(); }
  std::uint64_t first_chunk() { return collection_ ? collection_->copied_chunks() : 0; }

  void commit(cvc::WriteReport& report) {
    change([&](table::Failure* failure) { return collection_->commit(failure).into(report); });
  }

  // Work with the collection.
  template <class Work>
  void change(Work&& work) {
    PythonProgress progress;
    run_table_work(
        [&](table::Failure* failure) {
          const std::lock_guard lock(mutex_);
          if (!collection_) return Status(ErrorKind::kInvalidArgument, "the writer is closed");
          calling_ = &progress;
          return work(failure);
        },
        &progress);
  }

  template <class Work>
  void locked(Work&& work) {
    PythonProgress progress;
    Status status;
    std::string place;
    run(progress, [&] {
      const std::lock_guard lock(mutex_);
      if (!writer_ && !collection_)
        return Status(ErrorKind::kInvalidArgument, "the writer is closed");
      calling_ = &progress;
      status = work();
      if (!status.ok()) place = writer().error_place();
      return place.empty() ? status : Status();
    });
    if (!place.empty()) raise_if_error(status, place);
  }

  std::mutex mutex_;
  PythonProgress* calling_ = nullptr;  // that of the call which holds the mutex
  std::vector<std::byte> out_;
  Owned<cvc::Writer> writer_;
  Owned<cvc::CollectionWriter> collection_;  // instead
};

}  // namespace

void bind_cvc_writer(nb::module_& m) {
  nb::class_<CvcWriter>(m, "CvcWriter")
      .def(nb::init<const std::optional<std::string>&, std::string_view, std::string_view,
                    std::uint64_t, bool, const std::vector<ColumnTuple>&,
                    std::optional<std::uint64_t>, std::optional<std::uint64_t>, bool,
                    std::string_view, const std::string&, unsigned, bool,
                    std::optional<std::uint64_t>, bool, nb::handle>(),
           nb::arg("path").none(), nb::arg("version"), nb::arg("compression"),
           nb::arg("chunk_rows"), nb::arg("paged"), nb::arg("columns"), nb::arg("dimension").none(),
           nb::arg("expected_rows").none(), nb::arg("allow_nonfinite"), nb::arg("rounding"),
           nb::arg("metadata"), nb::arg("threads"), nb::arg("sync"),
           nb::arg("timeout_ms").none() = nb::none(), nb::arg("appends") = false,
           nb::arg("like").none() = nb::none())
      .def("columns", &CvcWriter::columns)
      .def("append", &CvcWriter::append, nb::arg("arrays"))
      .def("copy", &CvcWriter::copy, nb::arg("reader"))
      .def("begin_section", &CvcWriter::begin_section, nb::arg("metadata"))
      .def("end_section", &CvcWriter::end_section)
      .def("end_chunk", &CvcWriter::end_chunk)
      .def("set_chunk", &CvcWriter::set_chunk, nb::arg("chunk"), nb::arg("compression").none(),
           nb::arg("metadata").none())
      .def("finish", &CvcWriter::finish)
      .def("abort", &CvcWriter::abort)
      .def("contents", &CvcWriter::contents);
}

}  // namespace numpact::python
