// SPDX-License-Identifier: Apache-2.0
// Files in pieces, over the caller's functions.
#include "numpact/stream.hpp"
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/file_info.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

class CallersSource final : public ByteSource {
 public:
  CallersSource(numpact_read_function function, void* opaque) : read_(function), opaque_(opaque) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t size = 0;
    const int result = read_(opaque_, out.data(), out.size(), &size);
    if (result != 0) return caller_status(result, "the source failed");
    return size;
  }

 private:
  numpact_read_function read_;
  void* opaque_;
};

}  // namespace

struct numpact_stream_reader : Object {
  numpact_stream_reader(const CallersMemory& own, numpact_context* used,
                        numpact_read_function function, void* opaque)
      : Object(own),
        context(used),
        source(function, opaque),
        reader(source, decode_config(context), &memory) {}
  numpact_context* context;
  CallersSource source;
  StreamReader reader;
};

extern "C" {

numpact_status numpact_stream_reader_create(numpact_context* context, numpact_read_function read,
                                            void* opaque, numpact_stream_reader** reader,
                                            numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    if (read == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no source");
    return give_object(
        make_object<numpact_stream_reader>(memory_for(context), context, read, opaque), reader);
  });
}

void numpact_stream_reader_destroy(numpact_stream_reader* reader) { destroy_object(reader); }

numpact_status numpact_stream_reader_info(numpact_stream_reader* reader, numpact_file_info* info,
                                          numpact_error* error) {
  return run_with(reader, error, [&]() -> Status {
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
  return run_with(reader, error, [&]() -> Status {
    NUMPACT_TRY(check_given(count));
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    return reader->reader.read(view).into(*count);
  });
}

numpact_status numpact_stream_reader_check_trailer(numpact_stream_reader* reader, int32_t* state,
                                                   numpact_error* error) {
  return run_with(reader, error, [&]() -> Status {
    NUMPACT_TRY(check_given(state));
    TrailerState found = TrailerState::kNone;
    NUMPACT_TRY(reader->reader.check_trailer().into(found));
    *state = static_cast<std::int32_t>(found);
    return {};
  });
}

}  // extern "C"
