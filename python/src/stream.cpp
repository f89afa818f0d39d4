// SPDX-License-Identifier: Apache-2.0
// Files piece by piece. Where the bytes go is left to Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstring>
#include <exception>
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

namespace numpact::python {
namespace {

// A StreamWriter whose methods give the bytes that have become ready.
class Encoder {
 public:
  Encoder(std::string_view type, unsigned level, nb::handle mode, nb::handle delta,
          nb::handle paging, unsigned threads, std::uint64_t n_hint, std::string_view compat,
          bool favor_decode_speed, std::optional<unsigned> trailer)
      : sink_(ready_),
        writer_(
            sink_, type_by_name(type),
            make_config(level, mode, delta, paging, threads, compat, favor_decode_speed, trailer),
            n_hint) {}

  nb::bytes write(const ConstArray& array) {
    const NumberView numbers = numbers_of(array);
    return collect([&] { return writer_.try_write(numbers); });
  }
  nb::bytes end_chunk() {
    return collect([&] { return writer_.try_end_chunk(); });
  }
  nb::bytes finish() {
    return collect([&] { return writer_.try_finish(); });
  }

 private:
  static EncodeConfig make_config(unsigned level, nb::handle mode, nb::handle delta,
                                  nb::handle paging, unsigned threads, std::string_view compat,
                                  bool favor_decode_speed, std::optional<unsigned> trailer) {
    EncodeConfig config = encode_config(level, mode, delta, paging);
    set_reading(config, compat, favor_decode_speed);
    config.trailer = trailer_spec(trailer);
    set_threads(config, threads, 2);
    return config;
  }

  template <class Work>
  nb::bytes collect(Work&& work) {
    const PythonProgress progress;
    std::vector<std::byte> bytes;
    run(progress, [&] {
      const std::lock_guard lock(mutex_);
      const Status status = work();
      bytes.swap(ready_);
      return status;
    });
    return nb::bytes(bytes.data(), bytes.size());
  }

  std::mutex mutex_;  // threads of a Python program take turns
  std::vector<std::byte> ready_;
  VectorSink sink_;
  StreamWriter writer_;
};

// Bytes from a Python object with read(n).
class PythonSource final : public ByteSource {
 public:
  explicit PythonSource(nb::object readable) : read_(readable.attr("read")) {}

  Status read(std::span<std::byte> out, std::size_t& got) override {
    const GilAcquire acquire;
    try {
      const nb::bytes piece = nb::cast<nb::bytes>(read_(out.size()));
      got = piece.size();
      if (got > out.size()) throw nb::value_error("read(n) gave more than n bytes");
      std::memcpy(out.data(), piece.data(), got);
      return {};
    } catch (...) {
      raised_ = std::current_exception();
      return Status(ErrorKind::kIo, "reading failed");
    }
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  nb::object read_;
  std::exception_ptr raised_;
};

// A StreamReader over a Python file.
class Decoder {
 public:
  Decoder(nb::object readable, unsigned threads, std::optional<std::uint64_t> max_output)
      : source_(std::move(readable)), reader_(source_, make_config(threads, max_output)) {}

  nb::object type() {
    FileHeader header;
    locked([&] { return reader_.try_header(header); });
    return name_or_none(header.number_type);
  }

  // At most `count` numbers, fewer only at the end; None where the file does not name a type.
  nb::object read(std::size_t count) {
    FileHeader header;
    locked([&] { return reader_.try_header(header); });
    if (!header.number_type) {
      // Nothing may follow but the end of the file.
      std::byte spare[8];
      std::size_t none = 0;
      locked([&] { return reader_.try_read({NumberType::kU64, spare, 1}, none); });
      return nb::none();
    }
    NewArray out(*header.number_type, count);
    std::size_t got = 0;
    locked([&] { return reader_.try_read(out.view(), got); });
    return out.release(got);
  }

 private:
  static DecodeConfig make_config(unsigned threads, std::optional<std::uint64_t> max_output) {
    DecodeConfig config;
    config.limits = decode_limits(max_output);
    set_threads(config, threads, 2);
    return config;
  }

  template <class Work>
  void locked(Work&& work) {
    Status status;
    {
      const GilRelease release;
      const std::lock_guard lock(mutex_);
      status = work();
    }
    source_.rethrow();
    raise_if_error(status);
  }

  std::mutex mutex_;
  PythonSource source_;
  StreamReader reader_;
};

void append_to_file(const std::string& path, const ConstArray& array, unsigned level,
                    nb::handle mode, nb::handle delta, nb::handle paging, unsigned threads,
                    std::optional<unsigned> trailer) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  config.trailer = trailer_spec(trailer);
  set_threads(config, threads, 2);
  PythonProgress progress;
  config.progress = progress.function();
  run(progress, [&] { return try_append_to_file(path, numbers, config); });
}

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Encoder>(m, "Encoder")
      .def(nb::init<std::string_view, unsigned, nb::handle, nb::handle, nb::handle, unsigned,
                    std::uint64_t, std::string_view, bool, std::optional<unsigned>>(),
           nb::arg("type"), nb::arg("level"), nb::arg("mode"), nb::arg("delta"),
           nb::arg("paging").none(), nb::arg("threads") = 1, nb::arg("n_hint") = 0,
           nb::arg("compat") = "4.1", nb::arg("favor_decode_speed") = false,
           nb::arg("trailer").none() = nb::none())
      .def("write", &Encoder::write, nb::arg("array"))
      .def("end_chunk", &Encoder::end_chunk)
      .def("finish", &Encoder::finish);
  m.def("append_to_file", &append_to_file, nb::arg("path"), nb::arg("array"), nb::arg("level"),
        nb::arg("mode"), nb::arg("delta"), nb::arg("paging").none(), nb::arg("threads"),
        nb::arg("trailer").none() = nb::none());
  nb::class_<Decoder>(m, "Decoder")
      .def(nb::init<nb::object, unsigned, std::optional<std::uint64_t>>(), nb::arg("readable"),
           nb::arg("threads") = 1, nb::arg("max_output").none() = nb::none())
      .def_prop_ro("type", &Decoder::type)
      .def("read", &Decoder::read, nb::arg("count"));
}

}  // namespace numpact::python
