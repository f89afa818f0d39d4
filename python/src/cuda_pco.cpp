// SPDX-License-Identifier: Apache-2.0
// Pco files decoded by NVIDIA GPUs.
#include "cuda_pco.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

// Returns (numbers on the device, pointer, count, name of the type).
nb::tuple pco_decompress(const FileBytes& source, int device, unsigned threads,
                         std::optional<std::uint64_t> max_output, std::string_view trailer,
                         nb::handle on_end) {
  const std::span<const std::byte> file = std::as_bytes(std::span(source.data(), source.size()));
  DecodeConfig config;
  config.threads = threads;
  config.trailer = trailer_policy(trailer);
  config.limits = decode_limits(max_output);
  FileEnd end;
  config.file_end = &end;
  auto buffer = std::make_unique<cuda::DeviceBuffer>();
  ChunkIndex index;
  FileHeader header;
  Status status;
  {
    const GilRelease released;
    status = [&]() -> Status {
      Status done = read_header(file).into(header);
      if (done.ok()) done = ChunkIndex::build(file, config).into(index);
      if (!done.ok()) return done;
      if (!header.number_type) {
        return Status(ErrorKind::kTypeMismatch, "the file is empty and does not name its type");
      }
      const NumberType type = *header.number_type;
      const std::size_t bytes = static_cast<std::size_t>(index.count()) * size_of(type);
      done = cuda::DeviceBuffer::allocate(device, bytes).into(*buffer);
      if (!done.ok() || bytes == 0) return done;
      cuda::PcoDecoder decoder = Idle<cuda::PcoDecoder>::all().take(device);
      done = decoder.decompress_into(file, index, {type, buffer->data(), index.count()}, nullptr,
                                     config);
      Idle<cuda::PcoDecoder>::all().give_back(device, std::move(decoder));
      return done;
    }();
  }
  raise_if_error(status);
  tell_of_end(end, on_end);
  const NumberType type = *header.number_type;
  void* const data = buffer->data();
  const nb::capsule owner(buffer.release(), [](void* memory) noexcept {
    delete static_cast<cuda::DeviceBuffer*>(memory);
  });
  const std::size_t shape[1] = {static_cast<std::size_t>(index.count())};
  OnDevice array(data, 1, shape, owner, nullptr, dlpack_type(type), nb::device::cuda::value,
                 device);
  return nb::make_tuple(array, reinterpret_cast<std::uintptr_t>(data), shape[0],
                        std::string(name_of(type)));
}

}  // namespace

void bind_cuda_pco(nb::module_& m) {
  m.def("pco_decompress", &pco_decompress, nb::arg("buf"), nb::arg("device"), nb::arg("threads"),
        nb::arg("max_output").none(), nb::arg("trailer"), nb::arg("on_end").none());
}

}  // namespace numpact::python
