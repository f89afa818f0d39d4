/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to Pco that the column codec of ClickHouse calls, provided by numpact. For C99 and
 * C++. No function throws; all may be called by several threads at once. */
#ifndef NUMPACT_CLICKHOUSE_PCO_H
#define NUMPACT_CLICKHOUSE_PCO_H

#include <stdint.h>

#if defined(__GNUC__)
#define PCO_API __attribute__((visibility("default")))
#else
#define PCO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The types, as bytes of the format. */
enum PcoNumberType {
  PCO_U32 = 1,
  PCO_U64 = 2,
  PCO_I32 = 3,
  PCO_I64 = 4,
  PCO_F32 = 5,
  PCO_F64 = 6,
  PCO_U16 = 7,
  PCO_I16 = 8,
  PCO_F16 = 9,
  PCO_U8 = 10,
  PCO_I8 = 11
};

enum PcoStatus {
  PCO_OK = 0,
  PCO_WONT_FIT = 1, /* only of pco_compress: the stream is larger than the capacity */
  PCO_ERROR = -1    /* invalid arguments, bytes that are damaged or of other numbers, no memory */
};

/* Compresses `n_values` numbers to a standalone file without checksums. `src` and `dst` may have
 * any alignment, and may be null where their size is 0. `dst_capacity` is in bytes; the size of the
 * numbers is a good one: numbers that do not get smaller are best stored as they are.
 * `compression_level` is 0 (fast) to 12 (small). `*out_size` is set only with PCO_OK; after
 * another result the bytes of `dst` are unspecified. No numbers give a file of a few bytes. */
PCO_API int32_t pco_compress(uint8_t number_type, const uint8_t* src, uint64_t n_values,
                             int32_t compression_level, uint8_t* dst, uint64_t dst_capacity,
                             uint64_t* out_size);

/* Decompresses a file of exactly `n_values` numbers of `element_width` bytes: 1, 2, 4 or 8. If
 * `expected_type` is not 0, the file must hold that type. Everything else is PCO_ERROR, a capacity
 * of less than n_values * element_width bytes too; then the bytes of `dst` are unspecified, and
 * nothing behind its first n_values * element_width bytes is written. */
PCO_API int32_t pco_decompress(uint32_t element_width, uint8_t expected_type, const uint8_t* src,
                               uint64_t src_size, uint8_t* dst, uint64_t n_values,
                               uint64_t dst_capacity);

/* Frees the scratch memory of the calling thread, which its next call allocates again. Memory of a
 * thread is also freed when it ends. Not part of the interface that ClickHouse calls. */
PCO_API void pco_release_thread_memory(void);

#ifdef __cplusplus
}
#endif

#endif
