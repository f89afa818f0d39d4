// SPDX-License-Identifier: Apache-2.0
// numpact._cuda: CVC rows decoded by NVIDIA GPUs. There where the library was built with CUDA.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda_pco.hpp"
#include "cvc_stored.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "idle.hpp"
#include "numpact/cuda.hpp"

namespace nb = nanobind;

namespace numpact::python {
namespace {

int device_count() {
  int count = 0;
  raise_if_error(cuda::device_count().into(count));
  return count;
}

// Returns when the rows are there.
void cvc_decode(const nb::list& slices, std::uintptr_t out_ptr, std::string_view out_dtype,
                std::uint64_t out_stride, int device, std::uintptr_t stream, unsigned threads) {
  const std::optional<cvc::Dtype> dtype = cvc::dtype_of_name(out_dtype);
  if (!dtype) raise_error(ErrorKind::kInvalidArgument, "no type of this name");
  if (out_stride % cvc::size_of(*dtype) != 0) {
    raise_error(ErrorKind::kInvalidArgument, "the output's stride is not a multiple of its type");
  }
  std::vector<cuda::SliceRows> parts;
  std::vector<std::uint64_t> chunks;  // of the file, by part
  cuda::DeviceRows out;
  out.type = *dtype;
  out.data = reinterpret_cast<void*>(out_ptr);
  out.stride = out_stride / cvc::size_of(*dtype);
  for (const nb::handle item : slices) {
    const auto one = nb::cast<nb::tuple>(item);
    cuda::SliceRows part;
    const auto& slice = nb::cast<const CvcSlice&>(one[0]);
    part.slice = &slice.stored;
    part.rows = {nb::cast<std::uint64_t>(one[1]), nb::cast<std::uint64_t>(one[2])};
    part.out_row = nb::cast<std::uint64_t>(one[3]);
    out.dimension = part.slice->dimension;
    out.count = std::max(out.count, part.out_row + part.rows.count);
    parts.push_back(part);
    chunks.push_back(slice.chunk);
  }
  Status status;
  {
    const GilRelease released;
    cuda::CvcConfig config;
    config.threads = threads;
    cuda::CvcDecoder decoder = Idle<cuda::CvcDecoder>::all().take(device);
    const cuda::Queue queue{device, reinterpret_cast<void*>(stream)};
    status = decoder.decode(parts, out, queue, config);
    Idle<cuda::CvcDecoder>::all().give_back(device, std::move(decoder));
  }
  // The decoder counts the slices that it was given.
  if (status.chunk() < chunks.size()) status = status.at_chunk(chunks[status.chunk()]);
  raise_if_error(status);
}

}  // namespace
}  // namespace numpact::python

NB_MODULE(_cuda, m) {
  namespace python = numpact::python;
  python::GilAcquire::prepare_for_fork();
  m.doc() = "CVC rows decoded by NVIDIA GPUs; use the package numpact instead.";
  nb::module_::import_("numpact._core");  // it has the type of slices
  m.def("device_count", &python::device_count);
  // `slices`: tuples of a CvcSlice, its first row, how many, and the row of the output that the
  // first one goes to. `out_stride`: bytes from row to row.
  m.def("cvc_decode", &python::cvc_decode, nb::arg("slices"), nb::arg("out_ptr"),
        nb::arg("out_dtype"), nb::arg("out_stride"), nb::arg("device"), nb::arg("stream"),
        nb::arg("threads") = 8);
  python::bind_cuda_pco(m);
}
