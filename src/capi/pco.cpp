// SPDX-License-Identifier: Apache-2.0
// Standalone files in memory.
#include "numpact/pco.hpp"
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/file_info.hpp"
#include "numpact/random_access.hpp"

struct numpact_reader : numpact::internal::capi::Object {
  numpact_reader(const numpact::internal::capi::CallersMemory& own, numpact::FileReader made,
                 const numpact::FileEnd& end)
      : Object(own), reader(std::move(made)), file_end(end) {}
  numpact::FileReader reader;
  numpact::FileEnd file_end;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

void set(std::size_t* to, std::size_t value) {
  if (to != nullptr) *to = value;
}

}  // namespace

extern "C" {

numpact_status numpact_read_info(const void* file, size_t size, numpact_file_info* info,
                                 numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_struct(info));
    FileHeader header;
    NUMPACT_TRY(read_header(bytes_of(file, size)).into(header));
    give_struct(file_info(header), info);
    return {};
  });
}

numpact_status numpact_count(numpact_context* context, const void* file, size_t size,
                             uint64_t* count, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(count));
    return count_numbers(bytes_of(file, size), decode_config(context), decode_context(context))
        .into(*count);
  });
}

numpact_status numpact_decompress(numpact_context* context, const void* file, size_t size,
                                  numpact_type type, void* out, size_t capacity, size_t* count,
                                  numpact_error* error) {
  return run(context, error, [&]() -> Status {
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    std::size_t written = 0;
    NUMPACT_TRY(
        decompress_into(bytes_of(file, size), view, decode_config(context), decode_context(context))
            .into(written));
    set(count, written);
    return {};
  });
}

numpact_status numpact_decompress_exact(numpact_context* context, const void* file, size_t size,
                                        numpact_type type, void* out, size_t count,
                                        numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_type(type));
    const MutableNumberView view(static_cast<NumberType>(type), out, count);
    std::size_t written = 0;
    NUMPACT_TRY(
        decompress_into(bytes_of(file, size), view, decode_config(context), decode_context(context))
            .into(written));
    if (written == count) return {};
    return Status(ErrorKind::kCorrupt, "the file holds fewer numbers than expected")
        .after_numbers(written);
  });
}

numpact_status numpact_decompress_front(numpact_context* context, const void* file, size_t size,
                                        numpact_type type, void* out, size_t capacity,
                                        size_t* count, int* is_finished, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    Front front;
    NUMPACT_TRY(decompress_front(bytes_of(file, size), view, decode_config(context),
                                 decode_context(context))
                    .into(front));
    set(count, front.count);
    if (is_finished != nullptr) *is_finished = front.is_finished ? 1 : 0;
    return {};
  });
}

numpact_status numpact_reader_create(numpact_context* context, const void* file, size_t size,
                                     numpact_reader** reader, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    DecodeConfig config = decode_config(context);
    FileEnd end;
    if (config.file_end == nullptr) config.file_end = &end;
    Result<FileReader> made =
        FileReader::create(bytes_of(file, size), config, decode_context(context));
    NUMPACT_TRY(made.status());
    return give_object(
        make_object<numpact_reader>(memory_for(context), std::move(*made), *config.file_end),
        reader);
  });
}

void numpact_reader_destroy(numpact_reader* reader) { destroy_object(reader); }

numpact_type numpact_reader_type(const numpact_reader* reader) {
  const std::optional<NumberType> type = reader->reader.type();
  return type ? static_cast<numpact_type>(*type) : numpact_type{NUMPACT_NO_TYPE};
}

numpact_status numpact_reader_file_end(const numpact_reader* reader, numpact_file_end* end,
                                       numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_struct(end));
    give_end(reader->file_end, end);
    return {};
  });
}

uint64_t numpact_reader_count(const numpact_reader* reader) { return reader->reader.count(); }

numpact_status numpact_reader_read(const numpact_reader* reader, numpact_context* context,
                                   uint64_t first, numpact_type type, void* out, size_t count,
                                   numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_type(type));
    const MutableNumberView view(static_cast<NumberType>(type), out, count);
    return reader->reader.read(first, view, decode_config(context), decode_context(context));
  });
}

size_t numpact_reader_chunk_count(const numpact_reader* reader) {
  return reader->reader.index().chunk_count();
}

numpact_status numpact_reader_chunk(const numpact_reader* reader, size_t index,
                                    numpact_chunk_place* place, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_struct(place));
    const ChunkIndex& chunks = reader->reader.index();
    if (index >= chunks.chunk_count()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
    }
    const IndexedChunk chunk = chunks.chunk(index);
    give_struct(numpact_chunk_place{0, chunk.offset, chunk.page_offset, chunk.first, chunk.count},
                place);
    return {};
  });
}

}  // extern "C"
