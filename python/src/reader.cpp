// SPDX-License-Identifier: Apache-2.0
// Any stretch of the numbers of a file in memory or mapped.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "collected.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "numpact/random_access.hpp"
#include "numpact/trailer.hpp"

namespace numpact::python {
namespace {

// offset, page_offset, first, count
using ChunkTuple = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

// Immutable once made, so that threads may share it.
class Reader {
 public:
  Reader(nb::handle source, unsigned threads, std::optional<std::uint64_t> max_output,
         nb::object callback, const std::optional<std::vector<ChunkTuple>>& chunks,
         std::string_view trailer, nb::handle on_end)
      : bytes_(Bytes::kept(source)) {
    DecodeConfig config;
    config.limits = decode_limits(max_output);
    config.trailer = trailer_policy(trailer);
    may_use_trailer_ = !chunks && config.trailer != TrailerPolicy::kIgnore;
    if (chunks) {
      open_with(*chunks, config.limits);
      return;
    }
    set_threads(config, threads, bytes_.span().size() >> 12);
    PythonProgress progress(std::move(callback));
    config.progress = progress.function();
    FileEnd end;
    config.file_end = &end;
    run(progress, [&]() -> Status {
      Result<FileReader> made = FileReader::create(bytes_.span(), config);
      if (made.ok()) reader_.emplace(std::move(*made));
      return made.status();
    });
    tell_of_end(end, on_end);
  }

  int traverse(visitproc visit, void* arg) const { return bytes_.traverse(visit, arg); }

  std::uint64_t count() const { return reader_->count(); }

  nb::object type() const { return name_or_none(reader_->type()); }

  // Whether the chunks were found in one.
  bool has_trailer() const {
    std::optional<Trailer> trailer;
    return may_use_trailer_ && Trailer::read(bytes_.span()).into(trailer).ok() &&
           trailer.has_value();
  }

  std::vector<ChunkTuple> chunks() const {
    std::vector<ChunkTuple> out;
    const ChunkIndex& index = reader_->index();
    out.reserve(index.chunk_count());
    for (std::size_t i = 0; i < index.chunk_count(); ++i) {
      const IndexedChunk chunk = index.chunk(i);
      out.emplace_back(chunk.offset, chunk.page_offset, chunk.first, chunk.count);
    }
    return out;
  }

  nb::object read(std::uint64_t first, std::uint64_t count, unsigned threads) const {
    if (count > reader_->count() || first > reader_->count() - count) {
      raise_if_error(Status(ErrorKind::kInvalidArgument, "numbers past the end of the file"));
    }
    NewArray out(reader_->type().value_or(NumberType::kU8), static_cast<std::size_t>(count));
    fill(first, out.view(), threads);
    return out.release(out.view().count);
  }

  void read_into(std::uint64_t first, const MutableArray& array, unsigned threads) const {
    fill(first, numbers_of(array), threads);
  }

 private:
  void open_with(const std::vector<ChunkTuple>& chunks, const DecodeLimits& limits) {
    std::vector<IndexedChunk> indexed;
    for (const auto& [offset, page_offset, first, count] : chunks) {
      indexed.push_back({offset, page_offset, first, count});
    }
    FileHeader header;
    raise_if_error(numpact::read_header(bytes_.span()).into(header));
    Result<ChunkIndex> index = ChunkIndex::from_chunks(header.number_type, std::move(indexed));
    raise_if_error(index.status());
    const NumberType type = header.number_type.value_or(NumberType::kU8);
    if (index->count() > limits.max_output_bytes / size_of(type)) {
      raise_error(ErrorKind::kLimitExceeded, "more bytes of numbers than max_output");
    }
    Result<FileReader> made = FileReader::create(bytes_.span(), std::move(*index));
    raise_if_error(made.status());
    reader_.emplace(std::move(*made));
  }

  void fill(std::uint64_t first, const MutableNumberView& out, unsigned threads) const {
    if (out.count == 0) return;
    check_apart(bytes_.span(), out);
    DecodeConfig config;
    PythonProgress progress;
    const ChunkIndex& index = reader_->index();
    const bool is_within = out.count <= count() && first <= count() - out.count;
    const std::size_t parts =
        is_within ? index.chunk_of(first + out.count - 1) - index.chunk_of(first) + 1 : 1;
    set_threads(config, threads, parts);
    if (parts > 2) config.progress = progress.function();
    run(progress, [&] {
      // Scratch memory goes with the chunk's metadata, not with the file.
      const auto context = small_decode_context(parts == 1 ? 0 : SIZE_MAX, config);
      return reader_->read(first, out, config, context.get());
    });
  }

  Bytes bytes_;
  bool may_use_trailer_ = false;
  std::optional<FileReader> reader_;
};

}  // namespace

void bind_reader(nb::module_& m) {
  nb::class_<Reader>(m, "Reader", nb::type_slots(kCollected<Reader>))
      .def(nb::init<nb::handle, unsigned, std::optional<std::uint64_t>, nb::object,
                    const std::optional<std::vector<ChunkTuple>>&, std::string_view, nb::handle>(),
           nb::arg("source"), nb::arg("threads") = 1, nb::arg("max_output").none() = nb::none(),
           nb::arg("progress").none() = nb::none(), nb::arg("chunks").none() = nb::none(),
           nb::arg("trailer") = "use", nb::arg("on_end").none() = nb::none())
      .def_prop_ro("count", &Reader::count)
      .def_prop_ro("type", &Reader::type)
      .def_prop_ro("has_trailer", &Reader::has_trailer)
      .def("chunks", &Reader::chunks)
      .def("read", &Reader::read, nb::arg("first"), nb::arg("count"), nb::arg("threads") = 1)
      .def("read_into", &Reader::read_into, nb::arg("first"), nb::arg("array").noconvert(),
           nb::arg("threads") = 1);
}

}  // namespace numpact::python
