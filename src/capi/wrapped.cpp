// SPDX-License-Identifier: Apache-2.0
// Reading of chunks whose metadata and pages engines store themselves.
#include "capi/wrapped_objects.hpp"

#include "api/chunk_decoder.hpp"
#include "base/try.hpp"
#include "capi/capi.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

template <class Decode>
numpact_status read_page(Decode decode, const numpact_chunk_decoder* decoder,
                         numpact_context* context, const void* bytes, std::size_t bytes_size,
                         std::size_t page_numbers, void* out, std::size_t capacity,
                         std::size_t* size, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    const auto type = static_cast<numpact_type>(decoder->decoder->type());
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    std::size_t used = 0;
    NUMPACT_TRY(((*decoder->decoder).*decode)(bytes_of(bytes, bytes_size), page_numbers, view,
                                              decode_context(context))
                    .into(used));
    if (size != nullptr) *size = used;
    return {};
  });
}

}  // namespace

extern "C" {

numpact_status numpact_read_wrapped_header(const void* bytes, size_t bytes_size, unsigned* major,
                                           unsigned* minor, size_t* size, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(major));
    NUMPACT_TRY(check_given(minor));
    NUMPACT_TRY(check_given(size));
    wrapped::DecodedHeader header;
    NUMPACT_TRY(wrapped::decode_file_header(bytes_of(bytes, bytes_size)).into(header));
    *major = header.version.major;
    *minor = header.version.minor;
    *size = header.size;
    return {};
  });
}

numpact_status numpact_chunk_decoder_create(numpact_context* context, const void* bytes,
                                            size_t bytes_size, numpact_type type, unsigned major,
                                            unsigned minor, numpact_chunk_decoder** decoder,
                                            numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_type(type));
    auto object = make_object<numpact_chunk_decoder>(memory_for(context));
    Result<wrapped::ChunkDecoder> made = wrapped::ChunkDecoder::create(
        bytes_of(bytes, bytes_size), static_cast<NumberType>(type), {major, minor},
        decode_config(context).limits, &object->memory);
    NUMPACT_TRY(made.status());
    object->decoder = std::move(*made);
    return give_object(std::move(object), decoder);
  });
}

void numpact_chunk_decoder_destroy(numpact_chunk_decoder* decoder) { destroy_object(decoder); }

size_t numpact_chunk_decoder_meta_size(const numpact_chunk_decoder* decoder) {
  return decoder->decoder->meta_size();
}

numpact_status numpact_chunk_decoder_read_page(const numpact_chunk_decoder* decoder,
                                               numpact_context* context, const void* bytes,
                                               size_t bytes_size, size_t page_numbers, void* out,
                                               size_t capacity, size_t* size,
                                               numpact_error* error) {
  return read_page(&wrapped::ChunkDecoder::decode_page, decoder, context, bytes, bytes_size,
                   page_numbers, out, capacity, size, error);
}

numpact_status numpact_chunk_decoder_read_page_front(const numpact_chunk_decoder* decoder,
                                                     numpact_context* context, const void* bytes,
                                                     size_t bytes_size, size_t page_numbers,
                                                     void* out, size_t capacity, size_t* size,
                                                     numpact_error* error) {
  return read_page(&wrapped::ChunkDecoder::decode_page_front, decoder, context, bytes, bytes_size,
                   page_numbers, out, capacity, size, error);
}

numpact_status numpact_chunk_decoder_read_pages(const numpact_chunk_decoder* decoder,
                                                numpact_context* context,
                                                const numpact_page_input* pages, size_t page_count,
                                                void* out, size_t capacity, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    if (page_count > 0) NUMPACT_TRY(check_given(pages));
    const auto type = static_cast<numpact_type>(decoder->decoder->type());
    MutableNumberView view;
    NUMPACT_TRY(make_output(type, out, capacity, view));
    const auto at = [](const void* inputs, std::size_t i) -> wrapped::PageInput {
      const numpact_page_input& page = static_cast<const numpact_page_input*>(inputs)[i];
      return {bytes_of(page.bytes, page.bytes_size), page.numbers};
    };
    return wrapped::PageListAccess::decode(*decoder->decoder, {pages, page_count, at}, view,
                                           decode_context(context));
  });
}

}  // extern "C"
