// SPDX-License-Identifier: Apache-2.0
// Additions of a WebAssembly module to the library: the end of a program that has failed, files
// that the engine reads in ranges, and a check of the layouts that layouts.js repeats.
#include <cstddef>
#include <version>

#include "numpact/numpact.h"

_LIBCPP_BEGIN_NAMESPACE_STD

// libc++ calls this where it would throw. The message would bring the C library's formatted output.
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }

_LIBCPP_END_NAMESPACE_STD

// libc++abi calls this before it ends a program, for example in place of a pure virtual function.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }

// What the engine passes to an instance as a numpact_read_at_function.
extern "C" __attribute__((import_module("env"), import_name("numpact_js_read_at"))) int
numpact_js_read_at(void* opaque, uint64_t offset, void* out, size_t capacity, size_t* size);

extern "C" numpact_status numpact_js_cvc_open(numpact_context* context, uint64_t size,
                                              numpact_cvc_reader** reader, numpact_error* error) {
  return numpact_cvc_reader_open(context, numpact_js_read_at, nullptr, size, reader, error);
}

#define NUMPACT_AT(type, field, place) \
  static_assert(offsetof(type, field) == place, "layouts.js says otherwise")

NUMPACT_AT(numpact_error, status, 4);
NUMPACT_AT(numpact_error, text, 12);
NUMPACT_AT(numpact_error, offset, 16);
NUMPACT_AT(numpact_error, chunk, 24);
NUMPACT_AT(numpact_error, needed, 32);
NUMPACT_AT(numpact_error, good_count, 40);
static_assert(sizeof(numpact_error) == 48);

NUMPACT_AT(numpact_file_info, type, 4);
NUMPACT_AT(numpact_file_info, standalone_version, 5);
NUMPACT_AT(numpact_file_info, format_major, 6);
NUMPACT_AT(numpact_file_info, format_minor, 7);
NUMPACT_AT(numpact_file_info, header_size, 8);
NUMPACT_AT(numpact_file_info, count_hint, 16);
static_assert(sizeof(numpact_file_info) == 24);

NUMPACT_AT(numpact_encode_options, level, 4);
NUMPACT_AT(numpact_encode_options, format, 8);
NUMPACT_AT(numpact_encode_options, mode, 12);
NUMPACT_AT(numpact_encode_options, delta, 16);
NUMPACT_AT(numpact_encode_options, max_page_count, 20);
NUMPACT_AT(numpact_encode_options, favor_decode_speed, 32);
NUMPACT_AT(numpact_encode_options, trailer, 36);
NUMPACT_AT(numpact_encode_options, restart_log, 40);
NUMPACT_AT(numpact_encode_options, decode_weight, 56);
static_assert(sizeof(numpact_encode_options) == 64);

NUMPACT_AT(numpact_context_options, max_numbers, 24);
NUMPACT_AT(numpact_context_options, max_output_bytes, 32);
NUMPACT_AT(numpact_context_options, max_memory, 40);
static_assert(sizeof(numpact_context_options) == 48);

NUMPACT_AT(numpact_chunk_place, offset, 8);
NUMPACT_AT(numpact_chunk_place, page_offset, 16);
NUMPACT_AT(numpact_chunk_place, first, 24);
NUMPACT_AT(numpact_chunk_place, count, 32);
static_assert(sizeof(numpact_chunk_place) == 40);

NUMPACT_AT(numpact_chunk_summary, offset, 8);
NUMPACT_AT(numpact_chunk_summary, size, 16);
NUMPACT_AT(numpact_chunk_summary, first, 24);
NUMPACT_AT(numpact_chunk_summary, count, 32);
NUMPACT_AT(numpact_chunk_summary, nan_count, 40);
NUMPACT_AT(numpact_chunk_summary, restart_points, 48);
NUMPACT_AT(numpact_chunk_summary, crc, 56);
NUMPACT_AT(numpact_chunk_summary, has_range, 60);
NUMPACT_AT(numpact_chunk_summary, min_bits, 64);
NUMPACT_AT(numpact_chunk_summary, max_bits, 72);
static_assert(sizeof(numpact_chunk_summary) == 80);

NUMPACT_AT(numpact_verification, is_sound, 4);
NUMPACT_AT(numpact_verification, trailer, 8);
NUMPACT_AT(numpact_verification, sound_count, 16);
NUMPACT_AT(numpact_verification, damage_count, 24);
NUMPACT_AT(numpact_verification, damaged_chunk, 32);
NUMPACT_AT(numpact_verification, damaged_offset, 40);
static_assert(sizeof(numpact_verification) == 56);

NUMPACT_AT(numpact_chunk_info, mode, 8);
NUMPACT_AT(numpact_chunk_info, delta, 12);
NUMPACT_AT(numpact_chunk_info, bin_counts, 48);
NUMPACT_AT(numpact_chunk_info, table_logs, 72);
static_assert(sizeof(numpact_chunk_info) == 88);

NUMPACT_AT(numpact_bin, weight, 8);
NUMPACT_AT(numpact_bin, offset_bits, 12);
static_assert(sizeof(numpact_bin) == 16);

NUMPACT_AT(numpact_cvc_column, name, 4);
NUMPACT_AT(numpact_cvc_column, compression, 8);
NUMPACT_AT(numpact_cvc_column, dimension, 16);
NUMPACT_AT(numpact_cvc_column, dtype, 24);
static_assert(sizeof(numpact_cvc_column) == 32);

NUMPACT_AT(numpact_cvc_chunk, first_row, 8);
NUMPACT_AT(numpact_cvc_chunk, rows, 16);
NUMPACT_AT(numpact_cvc_chunk, offset, 24);
NUMPACT_AT(numpact_cvc_chunk, size, 32);
static_assert(sizeof(numpact_cvc_chunk) == 40);
