// SPDX-License-Identifier: Apache-2.0
// A C interface to the C++ API for the benchmarks and the oracle tests, which call it by ctypes
// (numpact_ctypes.py mirrors every declaration). Not installed, no stable interface. What only
// tests call is in tests/oracle/wrapped_shim.cpp.
#include "shim.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

extern "C" {

struct ShimHeader {
  std::uint32_t standalone_version;
  std::uint32_t format_major;
  std::uint32_t format_minor;
  std::uint32_t uniform_type;  // 0: none
  std::uint32_t number_type;   // 0: none
  std::uint64_t n_hint;
  std::uint64_t size_bytes;
};

}  // extern "C"

namespace {

struct Text {
  std::string bytes;
};

numpact::ModeSpec mode_of(const ShimConfig& config) {
  if (config.mode_kind == 0) return numpact::ModeSpec::automatic();
  const auto mode = static_cast<numpact::Mode>(config.mode_kind - 1);
  switch (mode) {
    case numpact::Mode::kIntMult:
      return numpact::ModeSpec::try_int_mult(config.int_base);
    case numpact::Mode::kFloatMult:
      return numpact::ModeSpec::try_float_mult(config.float_base);
    default:
      return {mode, config.quant_k};
  }
}

numpact::DeltaSpec delta_of(const ShimConfig& config) {
  if (config.delta_kind == 0) return numpact::DeltaSpec::automatic();
  return {static_cast<numpact::Delta>(config.delta_kind - 1), config.delta_order};
}

numpact::PagingSpec paging_of(const ShimConfig& config) {
  if (config.page_count > 0) {
    const std::span<const std::uint64_t> sizes(config.page_sizes, config.page_count);
    return numpact::PagingSpec::exact(std::vector<std::size_t>(sizes.begin(), sizes.end()));
  }
  if (config.max_page_n > 0) return numpact::PagingSpec::equal_pages_up_to(config.max_page_n);
  return {};
}

// Threads of encoding and of decoding; shim_set_threads sets them.
std::uint32_t threads_given = 1;

}  // namespace

numpact::EncodeConfig encode_config(const ShimConfig& config) {
  numpact::EncodeConfig out;
  out.threads = threads_given;
  out.level = config.level;
  out.mode = mode_of(config);
  out.delta = delta_of(config);
  out.paging = paging_of(config);
  out.uniform_type = config.uniform_type != 0;
  return out;
}

namespace {

numpact::DecodeConfig decode_config() {
  numpact::DecodeConfig config;
  config.threads = threads_given;
  return config;
}

std::uint32_t type_byte(const std::optional<NumberType>& type) {
  return type ? static_cast<std::uint32_t>(*type) : 0;
}

void append_field(std::string& out, const char* name, std::uint64_t value) {
  out += std::string(", \"") + name + "\": " + std::to_string(value);
}

void append_variable(std::string& out, const numpact::LatentVariableInfo& variable) {
  out += std::string("{\"variable\": \"") + numpact::to_string(variable.variable) + "\"";
  append_field(out, "bins", variable.bins.size());
  append_field(out, "ans_size_log", variable.ans_size_log);
  append_field(out, "stored", variable.stored);
  append_field(out, "meta_bits", variable.meta_bits);
  append_field(out, "state_bits", variable.state_bits);
  append_field(out, "code_bits", variable.code_bits);
  append_field(out, "offset_bits", variable.offset_bits);
  out += "}";
}

void append_chunk(std::string& out, const numpact::ChunkInfo& chunk) {
  out += "{\"mode\": \"" + chunk.mode_text() + "\", \"delta\": \"" + chunk.delta_text() + "\"";
  const auto* dict = std::get_if<numpact::DictInfo>(&chunk.mode_info);
  append_field(out, "type", static_cast<std::uint64_t>(chunk.type));
  append_field(out, "count", chunk.count);
  append_field(out, "offset", chunk.offset);
  append_field(out, "meta_bytes", chunk.meta_bytes);
  append_field(out, "page_bytes", chunk.page_bytes);
  append_field(out, "dict", dict == nullptr ? 0 : dict->entries.size());
  out += ", \"variables\": [";
  for (std::size_t i = 0; i < chunk.variables.size(); ++i) {
    if (i > 0) out += ", ";
    append_variable(out, chunk.variables[i]);
  }
  out += "]}";
}

std::string json_of(const numpact::FileInfo& info) {
  std::string out = "{\"format\": \"" + std::to_string(info.header.format_major) + "." +
                    std::to_string(info.header.format_minor) + "\"";
  append_field(out, "count", info.count);
  append_field(out, "file_bytes", info.file_bytes);
  append_field(out, "trailing_bytes", info.trailing_bytes);
  out += ", \"chunks\": [";
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    if (i > 0) out += ", ";
    append_chunk(out, info.chunks[i]);
  }
  return out + "]}";
}

}  // namespace

extern "C" {

// Contexts: nullptr is allowed wherever one is taken, and means scratch memory for one call.
SHIM_EXPORT void* shim_encode_context_new() { return new (std::nothrow) numpact::EncodeContext; }
SHIM_EXPORT void shim_encode_context_free(void* context) {
  delete static_cast<numpact::EncodeContext*>(context);
}
SHIM_EXPORT void* shim_decode_context_new() { return new (std::nothrow) numpact::DecodeContext; }
SHIM_EXPORT void shim_decode_context_free(void* context) {
  delete static_cast<numpact::DecodeContext*>(context);
}

// Non-zero if several threads can be used.
SHIM_EXPORT std::uint32_t shim_set_threads(std::uint32_t threads) {
  threads_given = threads;
  return 1;
}

// Standalone files.
SHIM_EXPORT std::int32_t shim_compress_bound(std::uint32_t type, std::uint64_t count,
                                             const ShimConfig* config, std::uint64_t* bound,
                                             ShimError* error) {
  return guarded(error, [&] {
    *bound = numpact::compress_bound(type_of(type), count, encode_config(*config));
    return Status();
  });
}

SHIM_EXPORT std::int32_t shim_compress(void* context, std::uint32_t type, const void* numbers,
                                       std::uint64_t count, const ShimConfig* config, void* out,
                                       std::uint64_t capacity, std::uint64_t* written,
                                       ShimError* error) {
  return guarded(error, [&] {
    std::size_t used = 0;
    const Status status = numpact::compress_into({type_of(type), numbers, count},
                                                 capacity_of(out, capacity), encode_config(*config),
                                                 static_cast<numpact::EncodeContext*>(context))
                              .into(used);
    *written = used;
    return status;
  });
}

// found: the expected bytes, and their error.
SHIM_EXPORT std::int32_t shim_estimate(void* context, std::uint32_t type, const void* numbers,
                                       std::uint64_t count, const ShimConfig* config,
                                       std::uint64_t* found, ShimError* error) {
  return guarded(error, [&] {
    numpact::SizeEstimate estimate;
    const Status status =
        numpact::estimate_size({type_of(type), numbers, count}, encode_config(*config),
                               static_cast<numpact::EncodeContext*>(context))
            .into(estimate);
    found[0] = estimate.bytes;
    found[1] = estimate.error_bytes;
    return status;
  });
}

SHIM_EXPORT std::int32_t shim_decompress(void* context, const void* file, std::uint64_t size,
                                         std::uint32_t type, void* out, std::uint64_t capacity,
                                         std::uint64_t* count, ShimError* error) {
  return guarded(error, [&] {
    std::size_t got = 0;
    const Status status =
        numpact::decompress_into(bytes_of(file, size), {type_of(type), out, capacity},
                                 decode_config(), static_cast<numpact::DecodeContext*>(context))
            .into(got);
    *count = got;
    return status;
  });
}

SHIM_EXPORT std::int32_t shim_count(const void* file, std::uint64_t size, std::uint64_t* count,
                                    ShimError* error) {
  return guarded(error, [&] { return numpact::count_numbers(bytes_of(file, size)).into(*count); });
}

SHIM_EXPORT std::int32_t shim_header(const void* file, std::uint64_t size, ShimHeader* header,
                                     ShimError* error) {
  return guarded(error, [&] {
    numpact::FileHeader read;
    const Status status = numpact::read_header(bytes_of(file, size)).into(read);
    header->standalone_version = read.standalone_version;
    header->format_major = read.format_major;
    header->format_minor = read.format_minor;
    header->uniform_type = type_byte(read.uniform_type);
    header->number_type = type_byte(read.number_type);
    header->n_hint = read.n_hint;
    header->size_bytes = read.size_bytes;
    return status;
  });
}

// A summary of the file as JSON, to be read with shim_text_* and freed with shim_text_free.
SHIM_EXPORT std::int32_t shim_inspect(const void* file, std::uint64_t size, void** text,
                                      ShimError* error) {
  return guarded(error, [&] {
    numpact::FileInfo info;
    const Status status = numpact::inspect_into(bytes_of(file, size), info);
    if (status.ok()) *text = new Text{json_of(info)};
    return status;
  });
}
SHIM_EXPORT const char* shim_text_data(const void* text) {
  return static_cast<const Text*>(text)->bytes.c_str();
}
SHIM_EXPORT void shim_text_free(void* text) { delete static_cast<Text*>(text); }

}  // extern "C"
