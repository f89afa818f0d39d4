// SPDX-License-Identifier: Apache-2.0
// Pages of the wrapped format: reading in parts, and facts about their numbers.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/chunk_info.hpp"
#include "capi/ranges.hpp"
#include "capi/wrapped_objects.hpp"

// The reader is made after the object, in its memory.
struct numpact_page_reader : numpact::internal::capi::Object {
  using Object::Object;
  std::optional<numpact::wrapped::PageReader> reader;
  numpact::NumberType type = numpact::NumberType::kU8;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

static_assert(NUMPACT_MATCH_NONE == static_cast<int>(RangeMatch::kNone));
static_assert(NUMPACT_MATCH_SOME == static_cast<int>(RangeMatch::kSome));
static_assert(NUMPACT_MATCH_ALL == static_cast<int>(RangeMatch::kAll));
static_assert(NUMPACT_LATENTS_SECONDARY == static_cast<int>(LatentVariable::kSecondary));

}  // namespace

extern "C" {

numpact_status numpact_chunk_decoder_info(const numpact_chunk_decoder* decoder,
                                          numpact_chunk_info* info, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_struct(info));
    ChunkInfo chunk;
    NUMPACT_TRY(part_of(decoder).info().into(chunk));
    give_struct(info_of(chunk, 0), info);
    return {};
  });
}

numpact_status numpact_chunk_decoder_describe(const numpact_chunk_decoder* decoder, char* out,
                                              size_t capacity, size_t* size, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_given(size));
    ChunkInfo chunk;
    NUMPACT_TRY(part_of(decoder).info().into(chunk));
    const std::string text = text_of(chunk);
    if (text.size() >= capacity) {
      return Status(ErrorKind::kOutputTooSmall, "the text does not fit").needing(text.size() + 1);
    }
    NUMPACT_TRY(check_given(out));
    std::memcpy(out, text.c_str(), text.size() + 1);
    *size = text.size();
    return {};
  });
}

numpact_status numpact_chunk_decoder_bins(const numpact_chunk_decoder* decoder, int32_t variable,
                                          numpact_bin* bins, size_t capacity, size_t* count,
                                          numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_given(count));
    if (capacity > 0) NUMPACT_TRY(check_given(bins));
    ChunkInfo chunk;
    NUMPACT_TRY(part_of(decoder).info().into(chunk));
    *count = 0;
    for (const LatentVariableInfo& found : chunk.variables) {
      if (static_cast<std::int32_t>(found.variable) != variable) continue;
      *count = found.bins.size();
      for (std::size_t i = 0; i < std::min(capacity, found.bins.size()); ++i) {
        const BinInfo& bin = found.bins[i];
        bins[i] = {bin.lower, bin.weight, bin.offset_bits};
      }
    }
    return {};
  });
}

numpact_status numpact_chunk_decoder_match(const numpact_chunk_decoder* decoder, const void* min,
                                           const void* max, int32_t* match, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_given(match));
    ValueRange range;
    NUMPACT_TRY(make_range(static_cast<numpact_type>(part_of(decoder).type()), min, max, range));
    *match = static_cast<std::int32_t>(part_of(decoder).match(range));
    return {};
  });
}

numpact_status numpact_page_reader_create(numpact_context* context,
                                          const numpact_chunk_decoder* decoder,
                                          numpact_page_reader** reader, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(decoder));
    NUMPACT_TRY(check_given(reader));
    auto object = make_object<numpact_page_reader>(memory_for(context));
    Result<wrapped::PageReader> made =
        wrapped::PageReader::create(part_of(decoder), &object->memory);
    NUMPACT_TRY(made.status());
    object->reader = std::move(*made);
    object->type = part_of(decoder).type();
    return give_object(std::move(object), reader);
  });
}

void numpact_page_reader_destroy(numpact_page_reader* reader) { destroy_object(reader); }

numpact_status numpact_page_reader_start(numpact_page_reader* reader, const void* bytes,
                                         size_t bytes_size, size_t page_numbers, const void* point,
                                         size_t point_size, numpact_error* error) {
  return run_with(reader, error, [&]() -> Status {
    return reader->reader->start(bytes_of(bytes, bytes_size), page_numbers,
                                 bytes_of(point, point_size));
  });
}

numpact_status numpact_page_reader_read(numpact_page_reader* reader, void* out, size_t capacity,
                                        size_t* count, numpact_error* error) {
  return run_with(reader, error, [&]() -> Status {
    NUMPACT_TRY(check_given(count));
    MutableNumberView view;
    NUMPACT_TRY(make_output(static_cast<numpact_type>(reader->type), out, capacity, view));
    return reader->reader->read(view).into(*count);
  });
}

numpact_status numpact_page_reader_skip(numpact_page_reader* reader, size_t count,
                                        numpact_error* error) {
  return run_with(reader, error, [&]() -> Status { return reader->reader->skip(count); });
}

size_t numpact_page_reader_left(const numpact_page_reader* reader) {
  return reader->reader->numbers_left();
}

size_t numpact_page_reader_bytes(const numpact_page_reader* reader) {
  return reader->reader->bytes_read();
}

size_t numpact_page_reader_point_size(const numpact_page_reader* reader) {
  return reader->reader->point_size();
}

numpact_status numpact_page_reader_write_point(const numpact_page_reader* reader, void* out,
                                               size_t capacity, size_t* size,
                                               numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_given(size));
    return reader->reader->write_point(output_of(out, capacity)).into(*size);
  });
}

}  // extern "C"
