// SPDX-License-Identifier: Apache-2.0
// The wrapped format for wrapped_ctypes.py: a part of the benchmarks' library (bench/shim.hpp).
#include <algorithm>
#include <utility>
#include <vector>

#include "../../bench/shim.hpp"

extern "C" {

// The wrapped format, writing.
SHIM_EXPORT std::int32_t shim_wrapped_header(void* out, std::uint64_t capacity,
                                             std::uint64_t* written, ShimError* error) {
  return guarded(error, [&] {
    const std::vector<std::byte> header = numpact::wrapped::encode_file_header();
    *written = header.size();
    if (header.size() > capacity) return Status(ErrorKind::kOutputTooSmall, "file header");
    std::copy(header.begin(), header.end(), static_cast<std::byte*>(out));
    return Status();
  });
}

SHIM_EXPORT std::int32_t shim_chunk_encoder_new(std::uint32_t type, const void* numbers,
                                                std::uint64_t count, const ShimConfig* config,
                                                void** encoder, ShimError* error) {
  return guarded(error, [&] {
    auto made = numpact::wrapped::ChunkEncoder::create({type_of(type), numbers, count},
                                                       encode_config(*config));
    if (made.ok()) *encoder = new numpact::wrapped::ChunkEncoder(std::move(*made));
    return made.status();
  });
}
SHIM_EXPORT void shim_chunk_encoder_free(void* encoder) {
  delete static_cast<numpact::wrapped::ChunkEncoder*>(encoder);
}
SHIM_EXPORT std::uint64_t shim_chunk_page_count(const void* encoder) {
  return static_cast<const numpact::wrapped::ChunkEncoder*>(encoder)->page_count();
}
SHIM_EXPORT std::uint64_t shim_chunk_page_n(const void* encoder, std::uint64_t page) {
  return static_cast<const numpact::wrapped::ChunkEncoder*>(encoder)->page_n(page);
}
SHIM_EXPORT std::uint64_t shim_chunk_meta_bound(const void* encoder) {
  return static_cast<const numpact::wrapped::ChunkEncoder*>(encoder)->meta_size_bound();
}
SHIM_EXPORT std::uint64_t shim_chunk_page_bound(const void* encoder, std::uint64_t page) {
  return static_cast<const numpact::wrapped::ChunkEncoder*>(encoder)->page_size_bound(page);
}

SHIM_EXPORT std::int32_t shim_chunk_write_meta(const void* encoder, void* out,
                                               std::uint64_t capacity, std::uint64_t* written,
                                               ShimError* error) {
  return guarded(error, [&] {
    std::size_t used = 0;
    const auto* chunk = static_cast<const numpact::wrapped::ChunkEncoder*>(encoder);
    const Status status = chunk->write_meta(capacity_of(out, capacity)).into(used);
    *written = used;
    return status;
  });
}

SHIM_EXPORT std::int32_t shim_chunk_write_page(const void* encoder, std::uint64_t page, void* out,
                                               std::uint64_t capacity, std::uint64_t* written,
                                               ShimError* error) {
  return guarded(error, [&] {
    std::size_t used = 0;
    const auto* chunk = static_cast<const numpact::wrapped::ChunkEncoder*>(encoder);
    const Status status = chunk->write_page(page, capacity_of(out, capacity)).into(used);
    *written = used;
    return status;
  });
}

// The wrapped format, reading.
SHIM_EXPORT std::int32_t shim_wrapped_read_header(const void* bytes, std::uint64_t size,
                                                  std::uint32_t* major, std::uint32_t* minor,
                                                  std::uint64_t* consumed, ShimError* error) {
  return guarded(error, [&] {
    numpact::wrapped::DecodedHeader header;
    const Status status = numpact::wrapped::decode_file_header(bytes_of(bytes, size)).into(header);
    *major = header.version.major;
    *minor = header.version.minor;
    *consumed = header.size;
    return status;
  });
}

SHIM_EXPORT std::int32_t shim_chunk_decoder_new(const void* bytes, std::uint64_t size,
                                                std::uint32_t type, std::uint32_t major,
                                                std::uint32_t minor, void** decoder,
                                                std::uint64_t* consumed, ShimError* error) {
  return guarded(error, [&] {
    auto made = numpact::wrapped::ChunkDecoder::create(
        bytes_of(bytes, size), type_of(type), numpact::wrapped::FormatVersion{major, minor});
    if (made.ok()) {
      *consumed = made->meta_size();
      *decoder = new numpact::wrapped::ChunkDecoder(std::move(*made));
    }
    return made.status();
  });
}
SHIM_EXPORT void shim_chunk_decoder_free(void* decoder) {
  delete static_cast<numpact::wrapped::ChunkDecoder*>(decoder);
}

SHIM_EXPORT std::int32_t shim_chunk_decode_page(const void* decoder, void* context,
                                                const void* bytes, std::uint64_t size,
                                                std::uint64_t page_n, std::uint32_t type, void* out,
                                                std::uint64_t capacity, std::uint64_t* consumed,
                                                ShimError* error) {
  return guarded(error, [&] {
    std::size_t used = 0;
    const auto* chunk = static_cast<const numpact::wrapped::ChunkDecoder*>(decoder);
    // Callers of the shim may ask for the first `capacity` numbers of the page.
    const Status status =
        chunk
            ->decode_page_front(bytes_of(bytes, size), page_n, {type_of(type), out, capacity},
                                static_cast<numpact::DecodeContext*>(context))
            .into(used);
    *consumed = used;
    return status;
  });
}

}  // extern "C"
