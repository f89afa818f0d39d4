// SPDX-License-Identifier: Apache-2.0
// Writing files in pieces, over the caller's function.
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/stream.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

class CallersSink final : public ByteSink {
 public:
  CallersSink(numpact_write_function function, void* opaque) : write_(function), opaque_(opaque) {}
  Status write(std::span<const std::byte> bytes) override {
    const int result = write_(opaque_, bytes.data(), bytes.size());
    return result == 0 ? Status() : caller_status(result, "the sink failed");
  }

 private:
  numpact_write_function write_;
  void* opaque_;
};

}  // namespace

struct numpact_stream_writer : Object {
  numpact_stream_writer(const CallersMemory& own, numpact_context* used,
                        numpact_write_function function, void* opaque, NumberType number_type,
                        EncodeConfig config, std::uint64_t hint)
      : Object(own),
        context(used),
        type(number_type),
        sink(function, opaque),
        writer(sink, type, std::move(config), hint, &memory) {}
  numpact_context* context;
  NumberType type;
  CallersSink sink;
  StreamWriter writer;
};

extern "C" {

numpact_status numpact_stream_writer_create(numpact_context* context, numpact_write_function write,
                                            void* opaque, numpact_type type,
                                            const numpact_encode_options* options,
                                            uint64_t count_hint, numpact_stream_writer** writer,
                                            numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (write == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no sink");
    NUMPACT_TRY(check_type(type));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    return give_object(make_object<numpact_stream_writer>(memory_for(context), context, write,
                                                          opaque, static_cast<NumberType>(type),
                                                          std::move(config), count_hint),
                       writer);
  });
}

void numpact_stream_writer_destroy(numpact_stream_writer* writer) { destroy_object(writer); }

numpact_status numpact_stream_writer_write(numpact_stream_writer* writer, const void* numbers,
                                           size_t count, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    return writer->writer.write(NumberView(writer->type, numbers, count));
  });
}

numpact_status numpact_stream_writer_end_chunk(numpact_stream_writer* writer,
                                               numpact_error* error) {
  return run_with(writer, error, [&]() -> Status { return writer->writer.end_chunk(); });
}

numpact_status numpact_stream_writer_finish(numpact_stream_writer* writer, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status { return writer->writer.finish(); });
}

uint64_t numpact_stream_writer_bytes(const numpact_stream_writer* writer) {
  return writer->writer.bytes_written();
}

}  // extern "C"
