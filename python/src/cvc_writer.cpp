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
#include "numpact/cvc.hpp"
#include "own_process.hpp"

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
            std::optional<std::uint64_t> timeout_ms) {
    cvc::WriteConfig config;
    config.version = version_of(version);
    config.compression = compression_of(compression);
    config.chunk_rows = chunk_rows;
    config.paged = paged;
    for (const auto& [name, width, dtype, packed, is_vector] : columns) {
      const std::optional<cvc::Dtype> type = cvc::dtype_of_name(dtype);
      if (!type) raise_error(ErrorKind::kTypeMismatch, "columns cannot be of " + dtype);
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
    Result<cvc::Writer> made =
        path ? cvc::Writer::create(*path, config) : cvc::Writer::create(out_, config);
    raise_if_error(made.status());
    writer_ = std::make_unique<cvc::Writer>(std::move(*made));
  }

  void append(const std::vector<ConstRows>& arrays) {
    std::vector<cvc::Rows> rows;
    for (const ConstRows& array : arrays) rows.push_back(rows_of(array));
    locked([&] { return writer_->append(rows); });
  }
  void begin_section(std::string_view metadata) {
    locked([&] { return writer_->begin_section(metadata); });
  }
  void end_section() {
    locked([&] { return writer_->end_section(); });
  }
  void end_chunk() {
    locked([&] { return writer_->end_chunk(); });
  }
  void set_chunk(std::uint64_t chunk, std::optional<std::string> compression,
                 std::optional<std::string> metadata) {
    cvc::ChunkOptions options;
    if (compression) options.compression = compression_of(*compression);
    options.metadata = std::move(metadata);
    locked([&] { return writer_->set_chunk(chunk, options); });
  }
  // Rows, chunks, bytes, finite values that half precision made infinite, those that are lost next
  // to values that are not finite, and those that are too small.
  nb::tuple finish() {
    cvc::WriteReport report;
    locked([&] { return writer_->finish().into(report); });
    return nb::make_tuple(report.rows, report.chunks, report.bytes, report.overflows, report.lost,
                          report.underflows);
  }
  // Throws an unfinished file away, once no other thread works on it.
  void abort() {
    const GilRelease release;
    const std::lock_guard lock(mutex_);
    writer_.reset();
  }
  // The file, where there is no path.
  nb::bytes contents() const { return nb::bytes(out_.data(), out_.size()); }

 private:
  template <class Work>
  void locked(Work&& work) {
    PythonProgress progress;
    Status status;
    std::string place;
    run(progress, [&] {
      const std::lock_guard lock(mutex_);
      if (!writer_) return Status(ErrorKind::kInvalidArgument, "the writer is closed");
      calling_ = &progress;
      status = work();
      if (!status.ok()) place = writer_->error_place();
      return place.empty() ? status : Status();
    });
    if (!place.empty()) raise_if_error(status, place);
  }

  std::mutex mutex_;
  PythonProgress* calling_ = nullptr;  // that of the call which holds the mutex
  std::vector<std::byte> out_;
  Owned<cvc::Writer> writer_;
};

}  // namespace

void bind_cvc_writer(nb::module_& m) {
  nb::class_<CvcWriter>(m, "CvcWriter")
      .def(nb::init<const std::optional<std::string>&, std::string_view, std::string_view,
                    std::uint64_t, bool, const std::vector<ColumnTuple>&,
                    std::optional<std::uint64_t>, std::optional<std::uint64_t>, bool,
                    std::string_view, const std::string&, unsigned, bool,
                    std::optional<std::uint64_t>>(),
           nb::arg("path").none(), nb::arg("version"), nb::arg("compression"),
           nb::arg("chunk_rows"), nb::arg("paged"), nb::arg("columns"), nb::arg("dimension").none(),
           nb::arg("expected_rows").none(), nb::arg("allow_nonfinite"), nb::arg("rounding"),
           nb::arg("metadata"), nb::arg("threads"), nb::arg("sync"),
           nb::arg("timeout_ms").none() = nb::none())
      .def("append", &CvcWriter::append, nb::arg("arrays"))
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
