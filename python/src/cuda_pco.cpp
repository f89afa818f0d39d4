// SPDX-License-Identifier: Apache-2.0
// Pco files decoded by NVIDIA GPUs.
#include "cuda_pco.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "idle.hpp"
#include "numpact/cuda.hpp"

namespace numpact::python {
namespace {

using FileBytes = nb::ndarray<const std::uint8_t, nb::ro, nb::ndim<1>, nb::c_contig>;
using OnDevice = nb::ndarray<nb::array_api>;

nb::dlpack::dtype dlpack_type(NumberType type) {
  nb::dlpack::dtype dtype{};
  const NumberKind kind = kind_of(type);
  dtype.code =
      static_cast<std::uint8_t>(kind == NumberKind::kFloat    ? nb::dlpack::dtype_code::Float
                                : kind == NumberKind::kSigned ? nb::dlpack::dtype_code::Int
                                                              : nb::dlpack::dtype_code::UInt);
  dtype.bits = static_cast<std::uint8_t>(8 * size_of(type));
  dtype.lanes = 1;
  return dtype;
}

// What is decoded to one array: files of the same type, one behind the other.
struct DeviceColumn {
  std::vector<FileBytes> sources;
  std::vector<ChunkIndex> indices;
  std::vector<FileEnd> ends;
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;
  std::unique_ptr<cuda::DeviceBuffer> buffer;

  std::span<const std::byte> file(std::size_t i) const {
    return std::as_bytes(std::span(sources[i].data(), sources[i].size()));
  }
};

// An error, and the file that it is about by its number in the call.
struct FileError {
  Status status;
  std::size_t file = 0;
};

Status add_index(DeviceColumn& column, DecodeConfig& config) {
  const std::size_t i = column.indices.size();
  FileHeader header;
  config.file_end = &column.ends[i];
  Status status = read_header(column.file(i)).into(header);
  column.indices.emplace_back();
  if (status.ok()) status = ChunkIndex::build(column.file(i), config).into(column.indices[i]);
  config.file_end = nullptr;
  if (!status.ok()) return status;
  if (!header.number_type) {
    return Status(ErrorKind::kTypeMismatch, "the file is empty and does not name its type");
  }
  if (i > 0 && column.type != *header.number_type) {
    return Status(ErrorKind::kTypeMismatch, "files of one array have different types");
  }
  column.type = *header.number_type;
  column.count += column.indices[i].count();
  return {};
}

// Reads the indices and allocates the arrays.
FileError open_columns(std::vector<DeviceColumn>& columns, int device, DecodeConfig config) {
  std::size_t number = 0;
  for (DeviceColumn& column : columns) {
    column.ends.resize(column.sources.size());
    for (std::size_t i = 0; i < column.sources.size(); ++i, ++number) {
      const Status status = add_index(column, config);
      if (!status.ok()) return {status, number};
    }
    column.buffer = std::make_unique<cuda::DeviceBuffer>();
    const auto bytes = static_cast<std::size_t>(column.count) * size_of(column.type);
    const Status status = cuda::DeviceBuffer::allocate(device, bytes).into(*column.buffer);
    if (!status.ok()) return {status, number - 1};
  }
  return {};
}

FileError decode_columns(std::vector<DeviceColumn>& columns, int device,
                         const DecodeConfig& config) {
  const FileError opened = open_columns(columns, device, config);
  if (!opened.status.ok()) return opened;
  std::vector<cuda::PcoFile> files;
  for (const DeviceColumn& column : columns) {
    auto* out = static_cast<std::byte*>(column.buffer->data());
    for (std::size_t i = 0; i < column.sources.size(); ++i) {
      const std::uint64_t count = column.indices[i].count();
      files.push_back({column.file(i), &column.indices[i], {column.type, out, count}, {}});
      if (count > 0) out += count * size_of(column.type);
    }
  }
  cuda::PcoDecoder decoder = Idle<cuda::PcoDecoder>::all().take(device);
  const Status status = decoder.decompress_many(files, nullptr, config);
  Idle<cuda::PcoDecoder>::all().give_back(device, std::move(decoder));
  const auto failed = std::find_if(files.begin(), files.end(),
                                   [](const cuda::PcoFile& file) { return !file.status.ok(); });
  return {status, static_cast<std::size_t>(failed - files.begin())};
}

// (numbers on the device, pointer, count, name of the type).
nb::tuple exported(DeviceColumn& column, int device) {
  void* const data = column.buffer->data();
  const nb::capsule owner(column.buffer.release(), [](void* memory) noexcept {
    delete static_cast<cuda::DeviceBuffer*>(memory);
  });
  const std::size_t shape[1] = {static_cast<std::size_t>(column.count)};
  OnDevice array(data, 1, shape, owner, nullptr, dlpack_type(column.type), nb::device::cuda::value,
                 device);
  return nb::make_tuple(array, reinterpret_cast<std::uintptr_t>(data), shape[0],
                        std::string(name_of(column.type)));
}

// `arrays`: lists of files. Returns an exported array for each.
nb::list pco_decompress(const nb::list& arrays, int device, unsigned threads,
                        std::optional<std::uint64_t> max_output, std::string_view trailer,
                        nb::handle on_end) {
  std::vector<DeviceColumn> columns;
  std::size_t file_n = 0;
  for (const nb::handle array : arrays) {
    DeviceColumn& column = columns.emplace_back();
    for (const nb::handle file : nb::cast<nb::list>(array)) {
      column.sources.push_back(nb::cast<FileBytes>(file));
    }
    file_n += column.sources.size();
  }
  DecodeConfig config;
  config.threads = threads;
  config.trailer = trailer_policy(trailer);
  config.limits = decode_limits(max_output);
  FileError error;
  {
    const GilRelease released;
    error = decode_columns(columns, device, config);
  }
  if (!error.status.ok()) {
    if (file_n == 1) raise_if_error(error.status);
    raise_if_error(error.status, "file " + std::to_string(error.file));
  }
  nb::list results;
  for (DeviceColumn& column : columns) {
    for (const FileEnd& end : column.ends) tell_of_end(end, on_end);
    results.append(exported(column, device));
  }
  return results;
}

}  // namespace

void bind_cuda_pco(nb::module_& m) {
  m.def("pco_decompress", &pco_decompress, nb::arg("arrays"), nb::arg("device"), nb::arg("threads"),
        nb::arg("max_output").none(), nb::arg("trailer"), nb::arg("on_end").none());
}

}  // namespace numpact::python
