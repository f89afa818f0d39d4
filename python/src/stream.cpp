// SPDX-License-Identifier: Apache-2.0
// Files part by part. Where the bytes go is left to Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "gil.hpp"
#include "numpact/stream.hpp"
#include "own_process.hpp"

namespace numpact::python {
namespace {

// A StreamWriter and where it writes.
struct Stream {
  Stream(NumberType type, EncodeConfig config, const Recipe* given, std::uint64_t n_hint)
      : sink(ready), writer(sink, type, with(std::move(config), given), n_hint) {}

  EncodeConfig with(EncodeConfig config, const Recipe* given) {
    if (given == nullptr) return config;
    config.recipe = &recipe.emplace(*given);
    return config;
  }

  std::mutex mutex;              // threads of a Python program take turns
  std::optional<Recipe> recipe;  // the writer refers to it
  std::vector<std::byte> ready;
  VectorSink sink;
  StreamWriter writer;
};

// A StreamWriter; its methods return the bytes that have become ready.
class Encoder {
 public:
  Encoder(std::string_view type, unsigned level, const std::string& mode, const std::string& delta,
          nb::handle paging, unsigned threads, std::uint64_t n_hint, std::string_view compat,
          float decode_weight, std::optional<unsigned> trailer, const Recipe* recipe,
          std::optional<std::uint64_t> max_bytes)
      : stream_(std::make_unique<Stream>(type_by_name(type),
                                         make_config(level, mode, delta, paging, threads, compat,
                                                     decode_weight, trailer, max_bytes),
                                         recipe, n_hint)) {}

  nb::bytes write(const ConstArray& array) {
    const NumberView numbers = numbers_of(array);
    return collect([&] { return stream_->writer.write(numbers); });
  }
  nb::bytes end_chunk() {
    return collect([&] { return stream_->writer.end_chunk(); });
  }
  nb::bytes finish() {
    return collect([&] { return stream_->writer.finish(); });
  }

 private:
  static EncodeConfig make_config(unsigned level, const std::string& mode, const std::string& delta,
                                  nb::handle paging, unsigned threads, std::string_view compat,
                                  float decode_weight, std::optional<unsigned> trailer,
                                  std::optional<std::uint64_t> max_bytes) {
    EncodeConfig config = encode_config(level, mode, delta, paging);
    set_reading(config, compat, decode_weight);
    config.trailer = trailer_spec(trailer);
    config.max_bytes = max_bytes;
    set_threads(config, threads, 2);
    return config;
  }

  template <class Work>
  nb::bytes collect(Work&& work) {
    const PythonProgress progress;
    std::vector<std::byte> bytes;
    run(progress, [&] {
      const std::lock_guard lock(stream_->mutex);
      const Status status = work();
      bytes.swap(stream_->ready);
      return status;
    });
    return nb::bytes(bytes.data(), bytes.size());
  }

  Owned<Stream> stream_;
};

void append_to_file(const std::string& path, const ConstArray& array, unsigned level,
                    const std::string& mode, const std::string& delta, nb::handle paging,
                    unsigned threads, std::optional<unsigned> trailer,
                    std::optional<std::uint64_t> timeout_ms) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  if (trailer) config.trailer = trailer_spec(trailer);  // else the kind that the file has
  set_threads(config, threads, 2);
  PythonProgress progress;
  config.progress = progress.function();
  Status status;
  {
    const GilRelease release;
    status = append_to_file(path, numbers, config, lock_config(timeout_ms, progress));
  }
  progress.rethrow();
  if (status.kind() == ErrorKind::kTimedOut) raise_if_error(status, path);
  raise_if_error(status);
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Encoder>(m, "Encoder")
      .def(nb::init<std::string_view, unsigned, const std::string&, const std::string&, nb::handle,
                    unsigned, std::uint64_t, std::string_view, float, std::optional<unsigned>,
                    const Recipe*, std::optional<std::uint64_t>>(),
           nb::arg("type"), nb::arg("level"), nb::arg("mode"), nb::arg("delta"),
           nb::arg("paging").none(), nb::arg("threads") = 1, nb::arg("n_hint") = 0,
           nb::arg("compat") = "4.1", nb::arg("decode_weight") = 0.0f,
           nb::arg("trailer").none() = nb::none(), nb::arg("recipe").none() = nb::none(),
           nb::arg("max_bytes").none() = nb::none())
      .def("write", &Encoder::write, nb::arg("array"))
      .def("end_chunk", &Encoder::end_chunk)
      .def("finish", &Encoder::finish);
  m.def("append_to_file", &append_to_file, nb::arg("path"), nb::arg("array"), nb::arg("level"),
        nb::arg("mode"), nb::arg("delta"), nb::arg("paging").none(), nb::arg("threads"),
        nb::arg("trailer").none() = nb::none(), nb::arg("timeout_ms").none() = nb::none());
}

}  // namespace numpact::python
