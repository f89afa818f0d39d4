// SPDX-License-Identifier: Apache-2.0
// The fields of the structs of the C headers that begin with their size. A caller's size that ends
// within a field is none that a version of the library had: half of the field, of a pointer for
// example, cannot be used.
#pragma once

#include <array>
#include <cstddef>

#include "base/internal.hpp"
#include "numpact/collection.h"
#include "numpact/numpact.h"
#include "numpact/table.h"
#include "numpact/table_writer.h"

namespace numpact::internal::capi {

struct StructField {
  std::size_t begin;
  std::size_t end;
  std::size_t alignment;
};

// By its offset: some ABIs align a field less than a variable of its type.
template <class T>
struct Placed {
  char before;
  T value;
};

template <class T>
inline constexpr int kStructFields = 0;

#define NUMPACT_FIELD(Struct, name)                                        \
  StructField {                                                            \
    offsetof(Struct, name), offsetof(Struct, name) + sizeof(Struct::name), \
        offsetof(Placed<decltype(Struct::name)>, value)                    \
  }

template <>
inline constexpr std::array kStructFields<numpact_error> = {
    NUMPACT_FIELD(numpact_error, struct_size),  NUMPACT_FIELD(numpact_error, status),
    NUMPACT_FIELD(numpact_error, system_error), NUMPACT_FIELD(numpact_error, text),
    NUMPACT_FIELD(numpact_error, offset),       NUMPACT_FIELD(numpact_error, chunk),
    NUMPACT_FIELD(numpact_error, needed),       NUMPACT_FIELD(numpact_error, good_count),
};
template <>
inline constexpr std::array kStructFields<numpact_allocator> = {
    NUMPACT_FIELD(numpact_allocator, struct_size),
    NUMPACT_FIELD(numpact_allocator, opaque),
    NUMPACT_FIELD(numpact_allocator, allocate),
    NUMPACT_FIELD(numpact_allocator, release),
};
template <>
inline constexpr std::array kStructFields<numpact_executor> = {
    NUMPACT_FIELD(numpact_executor, struct_size),
    NUMPACT_FIELD(numpact_executor, opaque),
    NUMPACT_FIELD(numpact_executor, concurrency),
    NUMPACT_FIELD(numpact_executor, run),
};
template <>
inline constexpr std::array kStructFields<numpact_context_options> = {
    NUMPACT_FIELD(numpact_context_options, struct_size),
    NUMPACT_FIELD(numpact_context_options, allocator),
    NUMPACT_FIELD(numpact_context_options, executor),
    NUMPACT_FIELD(numpact_context_options, progress),
    NUMPACT_FIELD(numpact_context_options, progress_opaque),
    NUMPACT_FIELD(numpact_context_options, max_numbers),
    NUMPACT_FIELD(numpact_context_options, max_output_bytes),
    NUMPACT_FIELD(numpact_context_options, max_memory),
};
template <>
inline constexpr std::array kStructFields<numpact_encode_options> = {
    NUMPACT_FIELD(numpact_encode_options, struct_size),
    NUMPACT_FIELD(numpact_encode_options, level),
    NUMPACT_FIELD(numpact_encode_options, format),
    NUMPACT_FIELD(numpact_encode_options, mode),
    NUMPACT_FIELD(numpact_encode_options, delta),
    NUMPACT_FIELD(numpact_encode_options, max_page_count),
    NUMPACT_FIELD(numpact_encode_options, page_counts),
    NUMPACT_FIELD(numpact_encode_options, page_count_count),
    NUMPACT_FIELD(numpact_encode_options, favor_decode_speed),
    NUMPACT_FIELD(numpact_encode_options, trailer),
    NUMPACT_FIELD(numpact_encode_options, restart_log),
    NUMPACT_FIELD(numpact_encode_options, recipe),
    NUMPACT_FIELD(numpact_encode_options, max_size),
    NUMPACT_FIELD(numpact_encode_options, decode_weight),
};
template <>
inline constexpr std::array kStructFields<numpact_estimate> = {
    NUMPACT_FIELD(numpact_estimate, struct_size), NUMPACT_FIELD(numpact_estimate, size),
    NUMPACT_FIELD(numpact_estimate, error),       NUMPACT_FIELD(numpact_estimate, mode),
    NUMPACT_FIELD(numpact_estimate, delta),       NUMPACT_FIELD(numpact_estimate, mode_text),
    NUMPACT_FIELD(numpact_estimate, delta_text),
};
template <>
inline constexpr std::array kStructFields<numpact_rounding> = {
    NUMPACT_FIELD(numpact_rounding, struct_size), NUMPACT_FIELD(numpact_rounding, kind),
    NUMPACT_FIELD(numpact_rounding, digits),      NUMPACT_FIELD(numpact_rounding, max_error),
    NUMPACT_FIELD(numpact_rounding, fill),
};
template <>
inline constexpr std::array kStructFields<numpact_rounding_report> = {
    NUMPACT_FIELD(numpact_rounding_report, struct_size),
    NUMPACT_FIELD(numpact_rounding_report, count),
    NUMPACT_FIELD(numpact_rounding_report, changed),
    NUMPACT_FIELD(numpact_rounding_report, kept),
    NUMPACT_FIELD(numpact_rounding_report, max_error),
    NUMPACT_FIELD(numpact_rounding_report, step),
};
template <>
inline constexpr std::array kStructFields<numpact_file_info> = {
    NUMPACT_FIELD(numpact_file_info, struct_size),
    NUMPACT_FIELD(numpact_file_info, type),
    NUMPACT_FIELD(numpact_file_info, standalone_version),
    NUMPACT_FIELD(numpact_file_info, format_major),
    NUMPACT_FIELD(numpact_file_info, format_minor),
    NUMPACT_FIELD(numpact_file_info, header_size),
    NUMPACT_FIELD(numpact_file_info, count_hint),
};
template <>
inline constexpr std::array kStructFields<numpact_file_end> = {
    NUMPACT_FIELD(numpact_file_end, struct_size),    NUMPACT_FIELD(numpact_file_end, trailer),
    NUMPACT_FIELD(numpact_file_end, is_unfinished),  NUMPACT_FIELD(numpact_file_end, file_size),
    NUMPACT_FIELD(numpact_file_end, foreign_offset), NUMPACT_FIELD(numpact_file_end, warning),
};
template <>
inline constexpr std::array kStructFields<numpact_chunk_place> = {
    NUMPACT_FIELD(numpact_chunk_place, struct_size), NUMPACT_FIELD(numpact_chunk_place, offset),
    NUMPACT_FIELD(numpact_chunk_place, page_offset), NUMPACT_FIELD(numpact_chunk_place, first),
    NUMPACT_FIELD(numpact_chunk_place, count),
};
template <>
inline constexpr std::array kStructFields<numpact_chunk_summary> = {
    NUMPACT_FIELD(numpact_chunk_summary, struct_size),
    NUMPACT_FIELD(numpact_chunk_summary, offset),
    NUMPACT_FIELD(numpact_chunk_summary, size),
    NUMPACT_FIELD(numpact_chunk_summary, first),
    NUMPACT_FIELD(numpact_chunk_summary, count),
    NUMPACT_FIELD(numpact_chunk_summary, nan_count),
    NUMPACT_FIELD(numpact_chunk_summary, restart_points),
    NUMPACT_FIELD(numpact_chunk_summary, crc),
    NUMPACT_FIELD(numpact_chunk_summary, has_range),
    NUMPACT_FIELD(numpact_chunk_summary, min_bits),
    NUMPACT_FIELD(numpact_chunk_summary, max_bits),
};
template <>
inline constexpr std::array kStructFields<numpact_verification> = {
    NUMPACT_FIELD(numpact_verification, struct_size),
    NUMPACT_FIELD(numpact_verification, is_sound),
    NUMPACT_FIELD(numpact_verification, trailer),
    NUMPACT_FIELD(numpact_verification, sound_count),
    NUMPACT_FIELD(numpact_verification, damage_count),
    NUMPACT_FIELD(numpact_verification, damaged_chunk),
    NUMPACT_FIELD(numpact_verification, damaged_offset),
    NUMPACT_FIELD(numpact_verification, file_size),
};
template <>
inline constexpr std::array kStructFields<numpact_file_step> = {
    NUMPACT_FIELD(numpact_file_step, struct_size), NUMPACT_FIELD(numpact_file_step, kind),
    NUMPACT_FIELD(numpact_file_step, offset),      NUMPACT_FIELD(numpact_file_step, bytes),
    NUMPACT_FIELD(numpact_file_step, size),
};
template <>
inline constexpr std::array kStructFields<numpact_chunk_info> = {
    NUMPACT_FIELD(numpact_chunk_info, struct_size), NUMPACT_FIELD(numpact_chunk_info, type),
    NUMPACT_FIELD(numpact_chunk_info, mode),        NUMPACT_FIELD(numpact_chunk_info, delta),
    NUMPACT_FIELD(numpact_chunk_info, count),       NUMPACT_FIELD(numpact_chunk_info, page_count),
    NUMPACT_FIELD(numpact_chunk_info, meta_size),   NUMPACT_FIELD(numpact_chunk_info, page_size),
    NUMPACT_FIELD(numpact_chunk_info, bin_counts),  NUMPACT_FIELD(numpact_chunk_info, table_logs),
};
template <>
inline constexpr std::array kStructFields<numpact_cvc_column> = {
    NUMPACT_FIELD(numpact_cvc_column, struct_size), NUMPACT_FIELD(numpact_cvc_column, name),
    NUMPACT_FIELD(numpact_cvc_column, compression), NUMPACT_FIELD(numpact_cvc_column, dimension),
    NUMPACT_FIELD(numpact_cvc_column, dtype),
};
template <>
inline constexpr std::array kStructFields<numpact_cvc_chunk> = {
    NUMPACT_FIELD(numpact_cvc_chunk, struct_size), NUMPACT_FIELD(numpact_cvc_chunk, first_row),
    NUMPACT_FIELD(numpact_cvc_chunk, rows),        NUMPACT_FIELD(numpact_cvc_chunk, offset),
    NUMPACT_FIELD(numpact_cvc_chunk, size),
};
template <>
inline constexpr std::array kStructFields<numpact_cvc_options> = {
    NUMPACT_FIELD(numpact_cvc_options, struct_size),
    NUMPACT_FIELD(numpact_cvc_options, compression),
    NUMPACT_FIELD(numpact_cvc_options, chunk_rows),
    NUMPACT_FIELD(numpact_cvc_options, dimension),
    NUMPACT_FIELD(numpact_cvc_options, allow_nonfinite),
};
template <>
inline constexpr std::array kStructFields<numpact_cvc_report> = {
    NUMPACT_FIELD(numpact_cvc_report, struct_size), NUMPACT_FIELD(numpact_cvc_report, rows),
    NUMPACT_FIELD(numpact_cvc_report, chunks),      NUMPACT_FIELD(numpact_cvc_report, bytes),
    NUMPACT_FIELD(numpact_cvc_report, overflows),   NUMPACT_FIELD(numpact_cvc_report, underflows),
    NUMPACT_FIELD(numpact_cvc_report, lost),
};
template <>
inline constexpr std::array kStructFields<numpact_collection_options> = {
    NUMPACT_FIELD(numpact_collection_options, struct_size),
    NUMPACT_FIELD(numpact_collection_options, columns),
    NUMPACT_FIELD(numpact_collection_options, column_count),
    NUMPACT_FIELD(numpact_collection_options, chunk_rows),
    NUMPACT_FIELD(numpact_collection_options, metadata),
    NUMPACT_FIELD(numpact_collection_options, lock_timeout_ms),
    NUMPACT_FIELD(numpact_collection_options, allow_nonfinite),
    NUMPACT_FIELD(numpact_collection_options, is_nearest),
};
template <>
inline constexpr std::array kStructFields<numpact_table_column> = {
    NUMPACT_FIELD(numpact_table_column, struct_size),
    NUMPACT_FIELD(numpact_table_column, name),
    NUMPACT_FIELD(numpact_table_column, name_size),
    NUMPACT_FIELD(numpact_table_column, file),
    NUMPACT_FIELD(numpact_table_column, null_file),
    NUMPACT_FIELD(numpact_table_column, timezone),
    NUMPACT_FIELD(numpact_table_column, type_text),
    NUMPACT_FIELD(numpact_table_column, kind),
    NUMPACT_FIELD(numpact_table_column, unit),
    NUMPACT_FIELD(numpact_table_column, is_nullable),
    NUMPACT_FIELD(numpact_table_column, type),
    NUMPACT_FIELD(numpact_table_column, rows),
    NUMPACT_FIELD(numpact_table_column, numbers),
    NUMPACT_FIELD(numpact_table_column, nulls),
    NUMPACT_FIELD(numpact_table_column, nulls_dropped),
    NUMPACT_FIELD(numpact_table_column, file_size),
    NUMPACT_FIELD(numpact_table_column, block_count),
    NUMPACT_FIELD(numpact_table_column, block_ends),
    NUMPACT_FIELD(numpact_table_column, block_crcs),
    NUMPACT_FIELD(numpact_table_column, part_count),
    NUMPACT_FIELD(numpact_table_column, text_file),
    NUMPACT_FIELD(numpact_table_column, precision),
    NUMPACT_FIELD(numpact_table_column, scale),
    NUMPACT_FIELD(numpact_table_column, decimal_bits),
};
template <>
inline constexpr std::array kStructFields<numpact_table_texts> = {
    NUMPACT_FIELD(numpact_table_texts, struct_size),
    NUMPACT_FIELD(numpact_table_texts, count),
    NUMPACT_FIELD(numpact_table_texts, offsets),
    NUMPACT_FIELD(numpact_table_texts, bytes),
};
template <>
inline constexpr std::array kStructFields<numpact_table_part> = {
    NUMPACT_FIELD(numpact_table_part, struct_size), NUMPACT_FIELD(numpact_table_part, file),
    NUMPACT_FIELD(numpact_table_part, null_file),   NUMPACT_FIELD(numpact_table_part, rows),
    NUMPACT_FIELD(numpact_table_part, numbers),     NUMPACT_FIELD(numpact_table_part, file_size),
    NUMPACT_FIELD(numpact_table_part, block_count), NUMPACT_FIELD(numpact_table_part, block_ends),
    NUMPACT_FIELD(numpact_table_part, block_crcs),
};
template <>
inline constexpr std::array kStructFields<numpact_table_skipped> = {
    NUMPACT_FIELD(numpact_table_skipped, struct_size),
    NUMPACT_FIELD(numpact_table_skipped, name),
    NUMPACT_FIELD(numpact_table_skipped, type_text),
    NUMPACT_FIELD(numpact_table_skipped, reason),
};
template <>
inline constexpr std::array kStructFields<numpact_table_files> = {
    NUMPACT_FIELD(numpact_table_files, struct_size),
    NUMPACT_FIELD(numpact_table_files, opaque),
    NUMPACT_FIELD(numpact_table_files, size),
    NUMPACT_FIELD(numpact_table_files, read),
};
template <>
inline constexpr std::array kStructFields<numpact_table_value> = {
    NUMPACT_FIELD(numpact_table_value, struct_size), NUMPACT_FIELD(numpact_table_value, kind),
    NUMPACT_FIELD(numpact_table_value, is_zoned),    NUMPACT_FIELD(numpact_table_value, text),
    NUMPACT_FIELD(numpact_table_value, text_size),   NUMPACT_FIELD(numpact_table_value, i64),
    NUMPACT_FIELD(numpact_table_value, u64),         NUMPACT_FIELD(numpact_table_value, f64),
};
template <>
inline constexpr std::array kStructFields<numpact_table_condition> = {
    NUMPACT_FIELD(numpact_table_condition, struct_size),
    NUMPACT_FIELD(numpact_table_condition, column),
    NUMPACT_FIELD(numpact_table_condition, op),
    NUMPACT_FIELD(numpact_table_condition, value_count),
    NUMPACT_FIELD(numpact_table_condition, values),
};
template <>
inline constexpr std::array kStructFields<numpact_table_query> = {
    NUMPACT_FIELD(numpact_table_query, struct_size),
    NUMPACT_FIELD(numpact_table_query, columns),
    NUMPACT_FIELD(numpact_table_query, column_count),
    NUMPACT_FIELD(numpact_table_query, where),
    NUMPACT_FIELD(numpact_table_query, where_size),
    NUMPACT_FIELD(numpact_table_query, conditions),
    NUMPACT_FIELD(numpact_table_query, condition_count),
    NUMPACT_FIELD(numpact_table_query, first_row),
    NUMPACT_FIELD(numpact_table_query, end_row),
    NUMPACT_FIELD(numpact_table_query, nan_may_match),
    NUMPACT_FIELD(numpact_table_query, min_part_rows),
    NUMPACT_FIELD(numpact_table_query, window_rows),
};
template <>
inline constexpr std::array kStructFields<numpact_table_batch> = {
    NUMPACT_FIELD(numpact_table_batch, struct_size), NUMPACT_FIELD(numpact_table_batch, first_row),
    NUMPACT_FIELD(numpact_table_batch, window_rows), NUMPACT_FIELD(numpact_table_batch, rows),
    NUMPACT_FIELD(numpact_table_batch, kept),
};

template <>
inline constexpr std::array kStructFields<numpact_table_writer_options> = {
    NUMPACT_FIELD(numpact_table_writer_options, struct_size),
    NUMPACT_FIELD(numpact_table_writer_options, encode),
    NUMPACT_FIELD(numpact_table_writer_options, rows),
    NUMPACT_FIELD(numpact_table_writer_options, lock_timeout_ms),
    NUMPACT_FIELD(numpact_table_writer_options, no_verify),
};

#undef NUMPACT_FIELD

// Whether the list names every field: each begins where the one before ends, but for alignment.
template <class T>
consteval bool lists_all_fields() {
  const auto aligned = [](std::size_t at, std::size_t to) { return (at + to - 1) / to * to; };
  std::size_t end = 0;
  for (const StructField& field : kStructFields<T>) {
    if (field.begin != aligned(end, field.alignment)) return false;
    end = field.end;
  }
  return aligned(end, alignof(T)) == sizeof(T);
}

// Whether a struct of the size, at least that of struct_size, has whole fields alone.
template <class T>
constexpr bool has_whole_fields(std::size_t size) {
  static_assert(lists_all_fields<T>(), "kStructFields does not list the fields of the struct");
  for (const StructField& field : kStructFields<T>) {
    if (field.begin < size && size < field.end) return false;
  }
  return true;
}

}  // namespace numpact::internal::capi
