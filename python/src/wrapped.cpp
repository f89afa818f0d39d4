// SPDX-License-Identifier: Apache-2.0
// The wrapped format: metadata and pages apart.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
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
#include "config.hpp"
#include "contexts.hpp"
#include "numpact/wrapped.hpp"

namespace numpact::python {
namespace {

using wrapped::FormatVersion;

class ChunkEncoder {
 public:
  ChunkEncoder(const ConstArray& array, unsigned level, const std::string& mode,
               const std::string& delta, nb::handle paging) {
    const NumberView numbers = numbers_of(array);
    const EncodeConfig config = encode_config(level, mode, delta, paging);
    run(PythonProgress(), [&] {
      Result<wrapped::ChunkEncoder> made = wrapped::ChunkEncoder::create(numbers, config);
      if (made.ok()) encoder_.emplace(std::move(*made));
      return made.status();
    });
  }

  std::vector<std::size_t> page_sizes() const {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < encoder_->page_count(); ++i) sizes.push_back(encoder_->page_n(i));
    return sizes;
  }
  nb::bytes meta() const {
    std::vector<std::byte> bytes;
    raise_if_error(encoder_->meta().into(bytes));
    return nb::bytes(bytes.data(), bytes.size());
  }
  nb::bytes page(std::size_t index) const {
    if (index >= encoder_->page_count()) {
      raise_if_error(Status(ErrorKind::kInvalidArgument, "there is no page of that index"));
    }
    std::vector<std::byte> bytes(encoder_->page_size_bound(index));
    std::size_t written = 0;
    run(PythonProgress(), [&] { return encoder_->write_page(index, bytes).into(written); });
    return nb::bytes(bytes.data(), written);
  }

 private:
  std::optional<wrapped::ChunkEncoder> encoder_;
};

class ChunkDecoder {
 public:
  ChunkDecoder(nb::handle source, std::string_view type, std::pair<unsigned, unsigned> version,
               std::optional<std::uint64_t> max_output) {
    const Bytes bytes(source);
    Result<wrapped::ChunkDecoder> made =
        wrapped::ChunkDecoder::create(bytes.span(), type_by_name(type),
                                      {version.first, version.second}, decode_limits(max_output));
    raise_if_error(made.status());
    decoder_.emplace(std::move(*made));
  }

  std::size_t meta_size() const { return decoder_->meta_size(); }

  // Decodes into the first numbers of the array; gives how many, and the bytes of the page, or the
  // whole bytes of it that were passed where the array is shorter.
  std::pair<std::size_t, std::size_t> decode_page(nb::handle source, std::size_t page_n,
                                                  const MutableArray& array) const {
    const Bytes bytes(source);
    const MutableNumberView out = numbers_of(array);
    check_apart(bytes.span(), out);
    std::size_t consumed = 0;
    run(PythonProgress(), [&] {
      const auto context = small_decode_context(bytes.span().size(), {});
      return decoder_->decode_page_front(bytes.span(), page_n, out, context.get()).into(consumed);
    });
    return {std::min(page_n, out.count), consumed};
  }

 private:
  std::optional<wrapped::ChunkDecoder> decoder_;
};

nb::bytes header() {
  const std::vector<std::byte> bytes = wrapped::encode_file_header();
  return nb::bytes(bytes.data(), bytes.size());
}

// Major and minor version, and the header's size in bytes.
std::tuple<unsigned, unsigned, std::size_t> read_wrapped_header(nb::handle source) {
  const Bytes bytes(source);
  wrapped::DecodedHeader header;
  raise_if_error(wrapped::decode_file_header(bytes.span()).into(header));
  return {header.version.major, header.version.minor, header.size};
}

}  // namespace

void bind_wrapped(nb::module_& m) {
  m.def("wrapped_header", &header);
  m.def("read_wrapped_header", &read_wrapped_header, nb::arg("source"));
  nb::class_<ChunkEncoder>(m, "ChunkEncoder")
      .def(nb::init<const ConstArray&, unsigned, const std::string&, const std::string&,
                    nb::handle>(),
           nb::arg("array"), nb::arg("level"), nb::arg("mode"), nb::arg("delta"),
           nb::arg("paging").none())
      .def("page_sizes", &ChunkEncoder::page_sizes)
      .def("meta", &ChunkEncoder::meta)
      .def("page", &ChunkEncoder::page, nb::arg("index"));
  nb::class_<ChunkDecoder>(m, "ChunkDecoder")
      .def(nb::init<nb::handle, std::string_view, std::pair<unsigned, unsigned>,
                    std::optional<std::uint64_t>>(),
           nb::arg("source"), nb::arg("type"), nb::arg("version"),
           nb::arg("max_output").none() = nb::none())
      .def_prop_ro("meta_size", &ChunkDecoder::meta_size)
      .def("decode_page", &ChunkDecoder::decode_page, nb::arg("source"), nb::arg("page_n"),
           nb::arg("array").noconvert());
}

}  // namespace numpact::python
