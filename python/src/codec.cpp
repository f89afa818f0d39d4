// SPDX-License-Identifier: Apache-2.0
// Whole files in memory: one call each.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "numpact/encoding.hpp"
#include "numpact/pco.hpp"

namespace numpact::python {
namespace {

// Work on at least this many numbers can be stopped from the keyboard.
constexpr std::size_t kLongWork = std::size_t{1} << 19;
// Files up to this size are decoded into an array of the size that their header claims.
constexpr std::uint64_t kBelievableBytes = 512;

nb::bytes compress(const ConstArray& array, unsigned level, const std::string& mode,
                   const std::string& delta, nb::handle paging, bool uniform_type, unsigned threads,
                   nb::object callback, std::string_view compat, float decode_weight,
                   std::optional<unsigned> trailer, const Recipe* recipe,
                   std::optional<std::uint64_t> max_bytes) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  config.recipe = recipe;
  config.max_bytes = max_bytes;
  config.uniform_type = uniform_type;
  set_reading(config, compat, decode_weight);
  config.trailer = trailer_spec(trailer);
  PythonProgress progress(std::move(callback));
  if (!progress.is_idle() || numbers.count >= kLongWork) config.progress = progress.function();
  const std::size_t max_n = std::max<std::size_t>(1, config.max_chunk_n());
  set_threads(config, threads,
              config.paging.exact_sizes() ? 2 : (numbers.count + max_n - 1) / max_n);
  // Not a vector: filling one with zeros touches all the memory that the numbers might have needed.
  const std::uint64_t limit = max_bytes.value_or(~std::uint64_t{0});
  const auto bound = static_cast<std::size_t>(
      std::min<std::uint64_t>(compress_bound(numbers.type, numbers.count, config), limit));
  const auto out = std::make_unique_for_overwrite<std::byte[]>(bound);
  std::size_t written = 0;
  run(progress, [&] {
    const auto context = small_encode_context(numbers.count * size_of(numbers.type), config);
    return numpact::compress_into(numbers, {out.get(), bound}, config, context.get()).into(written);
  });
  return nb::bytes(out.get(), written);
}

DecodeConfig decode_config(std::span<const std::byte> file, unsigned threads,
                           std::optional<std::uint64_t> max_output, std::uint64_t n_hint,
                           PythonProgress& progress, TrailerPolicy trailer = TrailerPolicy::kUse) {
  DecodeConfig config;
  config.limits = decode_limits(max_output);
  config.trailer = trailer;
  // A chunk of fewer bytes gains nothing from threads.
  set_threads(config, threads, file.size() >> 12);
  const bool is_long = n_hint >= kLongWork || file.size() >= kLongWork;
  if (!progress.is_idle() || is_long) config.progress = progress.function();
  return config;
}

nb::object decompress(nb::handle source, unsigned threads, std::optional<std::uint64_t> max_output,
                      nb::object callback, std::string_view trailer, nb::handle on_end) {
  const Bytes bytes(source);
  const std::span<const std::byte> file = bytes.span();
  FileHeader header;
  raise_if_error(numpact::read_header(file).into(header));
  PythonProgress progress(std::move(callback));
  DecodeConfig config =
      decode_config(file, threads, max_output, header.n_hint, progress, trailer_policy(trailer));
  FileEnd end;
  config.file_end = &end;
  const auto lent = small_decode_context(file.size(), config);
  DecodeContext* const context = lent.get();
  if (!header.number_type) {
    // Says that the file is damaged, or that it does not name its type.
    NumberArray nothing;
    run(progress, [&] { return numpact::decompress_any(file, config, context).into(nothing); });
  }
  const NumberType type = header.number_type.value_or(NumberType::kU8);
  const std::uint64_t claimed = header.n_hint;
  // The claim costs address space alone: pages are touched as numbers are decoded.
  if (claimed <= config.limits.max_output_bytes / size_of(type) &&
      claimed <= file.size() * (kBelievableBytes / size_of(type))) {
    NewArray out(type, static_cast<std::size_t>(claimed));
    std::size_t count = 0;
    Status status;
    run(progress, [&] {
      status = numpact::decompress_into(file, out.view(), config, context).into(count);
      return Status();
    });
    if (status.kind() != ErrorKind::kOutputTooSmall) {
      raise_if_error(status);
      tell_of_end(end, on_end);
      return out.release(count);
    }
  }
  GrowingArray out(type);
  run(progress, [&] {
    return detail::decompress_growing(file, type, &GrowingArray::grow, &out, config, context);
  });
  tell_of_end(end, on_end);
  return out.release();
}

std::size_t decompress_into(nb::handle source, const MutableArray& array, unsigned threads,
                            std::optional<std::uint64_t> max_output, nb::object callback,
                            std::string_view trailer, nb::handle on_end) {
  const Bytes bytes(source);
  const MutableNumberView out = numbers_of(array);
  PythonProgress progress(std::move(callback));
  check_apart(bytes.span(), out);
  DecodeConfig config = decode_config(bytes.span(), threads, max_output, out.count, progress,
                                      trailer_policy(trailer));
  FileEnd end;
  config.file_end = &end;
  const auto context = small_decode_context(bytes.span().size(), config);
  std::size_t count = 0;
  run(progress, [&] {
    return numpact::decompress_into(bytes.span(), out, config, context.get()).into(count);
  });
  tell_of_end(end, on_end);
  return count;
}

// The first numbers of a file, as many as the array takes; whether these are all.
std::pair<std::size_t, bool> decompress_front(nb::handle source, const MutableArray& array,
                                              unsigned threads) {
  const Bytes bytes(source);
  const MutableNumberView out = numbers_of(array);
  check_apart(bytes.span(), out);
  PythonProgress progress;
  const DecodeConfig config =
      decode_config(bytes.span(), threads, std::nullopt, out.count, progress);
  const auto context = small_decode_context(bytes.span().size(), config);
  Front front;
  run(progress, [&] {
    return numpact::decompress_front(bytes.span(), out, config, context.get()).into(front);
  });
  return {front.count, front.is_finished};
}

nb::object read_header(nb::handle source) {
  const Bytes bytes(source);
  FileHeader header;
  raise_if_error(numpact::read_header(bytes.span()).into(header));
  nb::dict out;
  out["standalone_version"] = header.standalone_version;
  out["format_version"] = nb::make_tuple(header.format_major, header.format_minor);
  out["uniform_type"] = name_or_none(header.uniform_type);
  out["number_type"] = name_or_none(header.number_type);
  out["n_hint"] = header.n_hint;
  out["size_bytes"] = header.size_bytes;
  return out;
}

std::uint64_t count_numbers(nb::handle source, unsigned threads) {
  const Bytes bytes(source);
  PythonProgress progress;
  const DecodeConfig config = decode_config(bytes.span(), threads, std::nullopt, 0, progress);
  std::uint64_t count = 0;
  run(progress, [&] { return numpact::count_numbers(bytes.span(), config).into(count); });
  return count;
}

}  // namespace

void bind_codec(nb::module_& m) {
  m.def("normal_mode", normal_mode, nb::arg("text"));
  m.def("normal_delta", normal_delta, nb::arg("text"));
  m.def("mode_forms", [] {
    const auto forms = mode_spec_forms();
    return std::vector<std::string>(forms.begin(), forms.end());
  });
  m.def("delta_forms", [] {
    const auto forms = delta_spec_forms();
    return std::vector<std::string>(forms.begin(), forms.end());
  });
  m.def("compress", &compress, nb::arg("array"), nb::arg("level"), nb::arg("mode"),
        nb::arg("delta"), nb::arg("paging").none(), nb::arg("uniform_type"), nb::arg("threads"),
        nb::arg("progress").none(), nb::arg("compat") = "4.1", nb::arg("decode_weight") = 0.0f,
        nb::arg("trailer").none() = nb::none(), nb::arg("recipe").none() = nb::none(),
        nb::arg("max_bytes").none() = nb::none());
  m.def("decompress", &decompress, nb::arg("source").none(), nb::arg("threads") = 1,
        nb::arg("max_output").none() = nb::none(), nb::arg("progress").none() = nb::none(),
        nb::arg("trailer") = "use", nb::arg("on_end").none() = nb::none());
  m.def("decompress_into", &decompress_into, nb::arg("source").none(), nb::arg("array").noconvert(),
        nb::arg("threads") = 1, nb::arg("max_output").none() = nb::none(),
        nb::arg("progress").none() = nb::none(), nb::arg("trailer") = "use",
        nb::arg("on_end").none() = nb::none());
  m.def("decompress_front", &decompress_front, nb::arg("source"), nb::arg("array").noconvert(),
        nb::arg("threads") = 1);
  m.def("read_header", &read_header, nb::arg("source").none());
  m.def("count_numbers", &count_numbers, nb::arg("source"), nb::arg("threads") = 1);
}

}  // namespace numpact::python
