// SPDX-License-Identifier: Apache-2.0
// Reading CVC files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "collected.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "cvc_arrays.hpp"
#include "cvc_names.hpp"
#include "cvc_stored.hpp"
#include "numpact/cvc.hpp"
#include "numpact/cvc/collection.hpp"
#include "ranges.hpp"
#include "table_reader.hpp"

namespace numpact::python {
namespace {

using RangeTuple = std::pair<std::uint64_t, std::uint64_t>;  // first, count
using CorruptTuple =
    std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // chunk, first, count

// A column and the array that its values go to; whether that is of bfloat16 held as uint16.
using TargetTuple = std::tuple<std::size_t, MutableRows, bool>;

std::vector<cvc::Target> targets_of(const std::vector<TargetTuple>& arrays) {
  std::vector<cvc::Target> targets;
  for (const auto& [column, array, is_bfloat16] : arrays) {
    constexpr bool kTakesFirst = true;  // the package checks shapes
    targets.push_back({rows_of(array, is_bfloat16), column, kTakesFirst});
  }
  return targets;
}

cvc::ReadConfig read_config(const DecodeLimits& limits, unsigned threads, bool verify,
                            bool is_fresh, PythonProgress& progress) {
  cvc::ReadConfig config;
  config.limits = limits;
  set_threads(config, threads, 2);
  config.verify = verify;
  config.prefault = is_fresh;
  config.progress = progress.function();
  return config;
}

// Immutable once made, so that threads may share it.
class CvcReader {
 public:
  // The bytes of a file, or where to get them; or a list of (name, bytes) of several files.
  CvcReader(nb::handle bytes, nb::handle ranges, std::optional<std::uint64_t> max_memory) {
    if (max_memory) limits_.max_memory = *max_memory;
    if (nb::isinstance<nb::list>(bytes)) {
      join(nb::borrow<nb::list>(bytes));
      return;
    }
    if (ranges.is_none()) {
      bytes_.push_back(Bytes::kept(bytes));
    } else {
      ranges_ = std::make_shared<PythonRanges>(ranges);
    }
    const PythonProgress progress;
    call(progress, [&] {
      Result<cvc::Reader> made = ranges_ ? cvc::Reader::create(ranges_, limits_)
                                         : cvc::Reader::create(bytes_[0].span(), limits_);
      if (made.ok()) reader_.emplace(std::move(*made));
      return made.status();
    });
  }
  // A folder that grows.
  CvcReader(const std::string& folder, std::optional<std::uint64_t> max_memory) {
    if (max_memory) limits_.max_memory = *max_memory;
    cvc::CollectionIndex index;
    run_table_work([&](table::Failure* failure) {
      Result<cvc::Reader> made = cvc::open_collection(folder, limits_, failure, &index);
      if (made.ok()) reader_.emplace(std::move(*made));
      return made.status();
    });
    for (const cvc::CollectionFile& file : index) files_.emplace_back(file.name, file.rows);
  }

  int traverse(visitproc visit, void* arg) const {
    if (ranges_) return ranges_->traverse(visit, arg);
    for (const Bytes& bytes : bytes_) {
      if (const int stop = bytes.traverse(visit, arg)) return stop;
    }
    return 0;
  }

  // The name and the count of rows of each of several files.
  const std::vector<std::pair<std::string, std::uint64_t>>& files() const { return files_; }
  const cvc::Reader& reader() const { return *reader_; }
  nb::dict info() const { return info_dict(reader_->info()); }

  // `are_fresh`: the arrays were just made.
  std::pair<std::uint64_t, std::vector<CorruptTuple>> read(const std::vector<RangeTuple>& ranges,
                                                           const std::vector<TargetTuple>& arrays,
                                                           bool are_fresh, unsigned threads,
                                                           bool verify, std::string_view corruption,
                                                           double fill, nb::object callback) const {
    std::vector<cvc::RowRange> requested;
    for (const auto& [first, count] : ranges) requested.push_back({first, count});
    const std::vector<cvc::Target> targets = targets_of(arrays);
    PythonProgress progress(std::move(callback));
    cvc::ReadConfig config = read_config(limits_, threads, verify, are_fresh, progress);
    config.on_corruption = on_corruption_of(corruption);
    config.fill = fill;
    cvc::ReadReport report;
    call(progress, [&] { return reader_->read(requested, targets, config).into(report); });
    std::vector<CorruptTuple> corrupt;
    for (const cvc::CorruptRows& rows : report.corrupt) {
      corrupt.emplace_back(rows.chunk, rows.rows.first, rows.rows.count);
    }
    return {report.rows, corrupt};
  }

  void gather(
      const nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& rows,
      const std::vector<TargetTuple>& arrays, bool are_fresh, unsigned threads, bool verify) const {
    const std::vector<cvc::Target> targets = targets_of(arrays);
    PythonProgress progress;
    const cvc::ReadConfig config = read_config(limits_, threads, verify, are_fresh, progress);
    call(progress, [&] { return reader_->gather({rows.data(), rows.size()}, targets, config); });
  }

  std::vector<RangeTuple> find_sections(std::string_view key, std::string_view value) const {
    std::vector<cvc::RowRange> ranges;
    raise_if_error(reader_->find_sections(key, value).into(ranges));
    std::vector<RangeTuple> out;
    for (const cvc::RowRange& range : ranges) out.emplace_back(range.first, range.count);
    return out;
  }

  std::vector<std::size_t> find_chunks(std::string_view key, std::string_view value) const {
    std::vector<std::size_t> chunks;
    raise_if_error(reader_->find_chunks(key, value).into(chunks));
    return chunks;
  }

  // Codes of rows to a fresh array of bytes, and their meaning for each run of rows.
  nb::list read_codes(
      std::uint64_t first, std::uint64_t count, std::size_t column,
      const nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out,
      unsigned threads, bool verify) const {
    PythonProgress progress;
    const cvc::ReadConfig config = read_config(limits_, threads, verify, true, progress);
    std::vector<cvc::CodeRun> runs;
    call(progress, [&] {
      auto* const data = reinterpret_cast<std::byte*>(out.data());
      return reader_->read_codes({first, count}, column, {data, out.size()}, 0, config).into(runs);
    });
    nb::list list;
    for (const cvc::CodeRun& each : runs) {
      const std::string_view name = name_of(each.compression);
      list.append(
          nb::make_tuple(each.rows, nb::str(name.data(), name.size()), each.mins, each.scales));
    }
    return list;
  }

  CvcSlice stored_slice(std::size_t chunk, std::size_t column, unsigned threads,
                        bool verify) const {
    PythonProgress progress;
    const cvc::ReadConfig config = read_config(limits_, threads, verify, false, progress);
    CvcSlice slice;
    slice.chunk = chunk;
    call(progress, [&] { return reader_->stored_slice(chunk, column, config).into(slice.stored); });
    return slice;
  }

  // Chunk, first row, rows, kind and words of every problem.
  nb::list verify(unsigned threads, nb::object callback) const {
    PythonProgress progress(std::move(callback));
    const cvc::ReadConfig config = read_config(limits_, threads, true, false, progress);
    cvc::VerifyReport report;
    call(progress, [&] { return reader_->verify(config).into(report); });
    nb::list bad;
    for (const cvc::CorruptRows& each : report.bad) {
      bad.append(nb::make_tuple(each.chunk, each.rows.first, each.rows.count,
                                static_cast<int>(each.status.kind()), each.status.message()));
    }
    return bad;
  }

 private:
  void join(const nb::list& files) {
    std::vector<cvc::Reader> readers;
    for (const nb::handle file : files) {
      const auto name = nb::cast<std::string>(file[0]);
      bytes_.push_back(Bytes::kept(file[1]));
      Result<cvc::Reader> made = cvc::Reader::create(bytes_.back().span(), limits_);
      if (!made.ok()) raise_if_error(made.status(), name);
      const cvc::Info& info = made->info();
      if (!readers.empty() && !cvc::same_columns(readers[0].info(), info)) {
        raise_error(ErrorKind::kInvalidArgument, name + ": has " + cvc::columns_text(info) +
                                                     ", but " + files_[0].first + " has " +
                                                     cvc::columns_text(readers[0].info()));
      }
      if (!readers.empty() && readers[0].info().major != info.major) {
        raise_error(ErrorKind::kInvalidArgument,
                    name + ": is of another version of the format than " + files_[0].first);
      }
      files_.emplace_back(name, info.rows);
      readers.push_back(std::move(*made));
    }
    Result<cvc::Reader> joined = cvc::Reader::join(readers);
    raise_if_error(joined.status());
    reader_.emplace(std::move(*joined));
  }

  template <class Work>
  void call(const PythonProgress& progress, Work&& work) const {
    Status status;
    {
      const GilRelease release;
      status = work();
    }
    progress.rethrow();
    if (ranges_) return ranges_->raise(status);
    raise_if_error(status);
  }

  DecodeLimits limits_;  // on memory; Python itself counts the outputs
  std::vector<Bytes> bytes_;
  std::shared_ptr<PythonRanges> ranges_;
  std::vector<std::pair<std::string, std::uint64_t>> files_;  // of several files
  std::optional<cvc::Reader> reader_;
};

}  // namespace

const cvc::Reader& cvc_reader_in(nb::handle reader) {
  return nb::cast<const CvcReader&>(reader).reader();
}

void bind_cvc_reader(nb::module_& m) {
  nb::class_<CvcReader>(m, "CvcReader", nb::type_slots(kCollected<CvcReader>))
      .def(nb::init<nb::handle, nb::handle, std::optional<std::uint64_t>>(),
           nb::arg("bytes").none(), nb::arg("ranges").none() = nb::none(),
           nb::arg("max_memory").none() = nb::none())
      .def(nb::init<const std::string&, std::optional<std::uint64_t>>(), nb::arg("folder"),
           nb::arg("max_memory").none())
      .def("files", &CvcReader::files)
      .def("info", &CvcReader::info)
      .def("read", &CvcReader::read, nb::arg("ranges"), nb::arg("targets"), nb::arg("are_fresh"),
           nb::arg("threads"), nb::arg("verify"), nb::arg("on_corruption"), nb::arg("fill"),
           nb::arg("progress").none())
      .def("gather", &CvcReader::gather, nb::arg("rows"), nb::arg("targets"), nb::arg("are_fresh"),
           nb::arg("threads"), nb::arg("verify"))
      .def("find_sections", &CvcReader::find_sections, nb::arg("key"), nb::arg("value"))
      .def("find_chunks", &CvcReader::find_chunks, nb::arg("key"), nb::arg("value"))
      .def("read_codes", &CvcReader::read_codes, nb::arg("first"), nb::arg("count"),
           nb::arg("column"), nb::arg("out"), nb::arg("threads"), nb::arg("verify"))
      .def("stored_slice", &CvcReader::stored_slice, nb::arg("chunk"), nb::arg("column"),
           nb::arg("threads"), nb::arg("verify"), nb::keep_alive<0, 1>())
      .def("verify", &CvcReader::verify, nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace numpact::python
