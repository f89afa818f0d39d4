// SPDX-License-Identifier: Apache-2.0
// Files in pieces, over the caller's functions.
#include "numpact/stream.hpp"
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/file_info.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

Status status_of(int result, const char* what) {
  const Status status(ErrorKind::kIo, what);
  return result > 0 ? status.because_of(result) : status;
}

class CallersSource final : public ByteSource {
 public:
  CallersSource(numpact_read_function function, void* opaque) : read_(function), opaque_(opaque) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t size = 0;
    const int result = read_(opaque_, out.data(), out.size(), &size);
    if (result != 0) return status_of(result, "the source failed");
    return size;
  }

 private:
  numpact_read_function read_;
  void* opaque_;
};

class CallersSink final : public ByteSink {
 public:
  CallersSink(numpact_write_function function, void* opaque) : write_(function), opaque_(opaque) {}
  Status write(std::span<const std::byte> bytes) override {
    const int result = write_(opaque_, bytes.data(), bytes.size());
    return result == 0 ? Status() : status_of(result, "the sink failed");
  }

 private:
  numpact_write_function write_;
  void* opaque_;
};

}  // namespace

struct numpact_stream_reader : Object {
  numpact_stream_reader(const CallersMemory& own, numpact_context* context,
                        numpact_read_function function, void* opaque)
      : Object(own), source(function, opaque), reader(source, decode_config(context), &memory) {}
  CallersSource source;
  StreamReader reader;
};

struct numpact_stream_writer : Object {
  numpact_stream_writer(const CallersMemory& own, numpact_write_function function, void* opaque,
                        NumberType number_type, EncodeConfig config, std::uint64_t hint)
      : Object(own),
        type(number_type),
        sink(function, opaque),
        writer(sink, type, std::move(config), hint, &memory) {}
  NumberType type;
  CallersSink sink;
  StreamWriter writer;
};

extern "C" {

numpact_status numpact_stream_reader_create(numpact_context* context, numpact_read_function read,
                                            void* opaque, numpact_stream_reader** reader,
                                            numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    if (read == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no source");
    *reader =
        make_object<numpact_stream_reader>(memory_for(context), context, read, opaque).release();
    return {};
  });
}

void numpact_stream_reader_destroy(numpact_stream_reader* reader) { destroy_object(reader); }

numpact_status numpact_stream_reader_info(numpact_stream_reader* reader, numpact_file_info* info,
                                          numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_struct(info));
    FileHeader header;
    NUMPACT_TRY(reader->reader.header().into(header));
    give_struct(file_info(header), info);
    return {};
  });
}

numpact_status numpact_stream_reader_read(numpact_stream_reader* reader, numpact_type type,
                                          void* out, size_t capacity, size_t* count,
                                          numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_given(count));
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    return reader->reader.read(view).into(*count);
  });
}

numpact_status numpact_stream_reader_check_trailer(numpact_stream_reader* reader, int32_t* state,
                                                   numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_given(state));
    TrailerState found = TrailerState::kNone;
    NUMPACT_TRY(reader->reader.check_trailer().into(found));
    *state = static_cast<std::int32_t>(found);
    return {};
  });
}

numpact_status numpact_stream_writer_create(numpact_context* context, numpact_write_function write,
                                            void* opaque, numpact_type type,
                                            const numpact_encode_options* options,
                                            uint64_t count_hint, numpact_stream_writer** writer,
                                            numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (write == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no sink");
    NUMPACT_TRY(check_type(type));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    *writer = make_object<numpact_stream_writer>(memory_for(context), write, opaque,
                                                 static_cast<NumberType>(type), std::move(config),
                                                 count_hint)
                  .release();
    return {};
  });
}

void numpact_stream_writer_destroy(numpact_stream_writer* writer) { destroy_object(writer); }

numpact_status numpact_stream_writer_write(numpact_stream_writer* writer, const void* numbers,
                                           size_t count, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    return writer->writer.write(NumberView(writer->type, numbers, count));
  });
}

numpact_status numpact_stream_writer_end_chunk(numpact_stream_writer* writer,
                                               numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    return writer->writer.end_chunk();
  });
}

numpact_status numpact_stream_writer_finish(numpact_stream_writer* writer, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    return writer->writer.finish();
  });
}

uint64_t numpact_stream_writer_bytes(const numpact_stream_writer* writer) {
  return writer->writer.bytes_written();
}

}  // extern "C"
