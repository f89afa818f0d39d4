// SPDX-License-Identifier: Apache-2.0
// Encoding of chunks whose metadata and pages engines store themselves.
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/chunk_info.hpp"
#include "capi/ranges.hpp"
#include "capi/wrapped_objects.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

numpact_status numpact_write_wrapped_header(int32_t format, void* out, size_t capacity,
                                            size_t* size, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(size));
    numpact_encode_options options;
    numpact_encode_options_init(&options);
    options.format = format;
    EncodeConfig config;
    NUMPACT_TRY(encode_config(nullptr, &options, config));
    const std::vector<std::byte> header = wrapped::encode_file_header(config.compatibility);
    if (capacity < header.size()) {
      return Status(ErrorKind::kOutputTooSmall, "the header does not fit").needing(header.size());
    }
    NUMPACT_TRY(check_given(out));
    std::memcpy(out, header.data(), header.size());
    *size = header.size();
    return {};
  });
}

numpact_status numpact_chunk_encoder_create(numpact_context* context, numpact_type type,
                                            const void* numbers, size_t count,
                                            const numpact_encode_options* options,
                                            numpact_chunk_encoder** encoder, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NumberView view;
    NUMPACT_TRY(make_view(type, numbers, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    auto object = make_object<numpact_chunk_encoder>(memory_for(context));
    Result<wrapped::ChunkEncoder> made =
        wrapped::ChunkEncoder::create(view, config, &object->memory, encode_context(context));
    NUMPACT_TRY(made.status());
    object->encoder = std::move(*made);
    return give_object(std::move(object), encoder);
  });
}

void numpact_chunk_encoder_destroy(numpact_chunk_encoder* encoder) { destroy_object(encoder); }

size_t numpact_chunk_encoder_page_count(const numpact_chunk_encoder* encoder) {
  return encoder->encoder->page_count();
}

size_t numpact_chunk_encoder_page_numbers(const numpact_chunk_encoder* encoder, size_t page) {
  return encoder->encoder->page_n(page);
}

size_t numpact_chunk_encoder_page_bound(const numpact_chunk_encoder* encoder, size_t page) {
  return encoder->encoder->page_size_bound(page);
}

size_t numpact_chunk_encoder_meta_bound(const numpact_chunk_encoder* encoder) {
  return encoder->encoder->meta_size_bound();
}

size_t numpact_chunk_bound(numpact_type type, size_t count) {
  return wrapped::chunk_bound(static_cast<NumberType>(type), count);
}

numpact_status numpact_chunk_encoder_info(const numpact_chunk_encoder* encoder,
                                          numpact_chunk_info* info, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NUMPACT_TRY(check_struct(info));
    ChunkInfo found;
    NUMPACT_TRY(encoder->encoder->info().into(found));
    give_struct(info_of(found, encoder->encoder->page_count()), info);
    return {};
  });
}

numpact_status numpact_chunk_encoder_describe(const numpact_chunk_encoder* encoder, char* out,
                                              size_t capacity, size_t* size, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NUMPACT_TRY(check_given(size));
    ChunkInfo found;
    NUMPACT_TRY(encoder->encoder->info().into(found));
    const std::string text = text_of(found);
    if (text.size() >= capacity) {
      return Status(ErrorKind::kOutputTooSmall, "the text does not fit").needing(text.size() + 1);
    }
    NUMPACT_TRY(check_given(out));
    std::memcpy(out, text.c_str(), text.size() + 1);
    *size = text.size();
    return {};
  });
}

numpact_status numpact_chunk_encoder_write_meta(const numpact_chunk_encoder* encoder, void* out,
                                                size_t capacity, size_t* size,
                                                numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NUMPACT_TRY(check_given(size));
    return encoder->encoder->write_meta(output_of(out, capacity)).into(*size);
  });
}

numpact_status numpact_chunk_encoder_write_page(const numpact_chunk_encoder* encoder, size_t page,
                                                void* out, size_t capacity, size_t* size,
                                                numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NUMPACT_TRY(check_given(size));
    return encoder->encoder->write_page(page, output_of(out, capacity)).into(*size);
  });
}

numpact_status numpact_chunk_encoder_page_summary(const numpact_chunk_encoder* encoder, size_t page,
                                                  numpact_chunk_summary* summary,
                                                  numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(encoder));
    NUMPACT_TRY(check_struct(summary));
    ChunkSummary found;
    NUMPACT_TRY(part_of(encoder).page_summary(page).into(found));
    give_struct(summary_of(part_of(encoder).type(), found), summary);
    return {};
  });
}

}  // extern "C"
