/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the reference's C binding, as numpact provides them (docs/engines.md). */
#ifndef CPCODEC_GENERATED_H
#define CPCODEC_GENERATED_H

#include <stddef.h>

#if defined(CPCODEC_SHARED) && defined(__GNUC__)
#define CPCODEC_API __attribute__((visibility("default")))
#else
#define CPCODEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PcoError {
  PcoSuccess = 0,
  PcoInvalidType = 1,       /* the dtype is not one of PCO_TYPE_... */
  PcoCompressionError = 2,  /* invalid options, or the output is too small */
  PcoDecompressionError = 3 /* damaged bytes, another type, or the output is too small */
} PcoError;

typedef struct PcoChunkConfig {
  unsigned int compression_level; /* 0 to 12 */
  size_t max_page_n;              /* numbers per chunk; 0: chosen by the encoder */
} PcoChunkConfig;

/* Bytes that suffice for n numbers of a type, whatever the configuration; 0 for an invalid type.
 * With tiny pages the metadata of each page takes more than its numbers, so this is about 20 bytes
 * per number; ..._with_config is close to the size of the numbers. */
CPCODEC_API size_t pco_standalone_guarantee_file_size(size_t n, unsigned char dtype);
/* The same for one configuration; null: level 8 and pages chosen by the encoder. */
CPCODEC_API size_t pco_standalone_guarantee_file_size_with_config(size_t n, unsigned char dtype,
                                                                  const PcoChunkConfig* config);

/* Compresses n numbers to a standalone file. dst_cap is in bytes. n_written is set to the bytes
 * written; it is unchanged after an error. */
CPCODEC_API PcoError pco_standalone_simple_compress_into(const void* nums, size_t n,
                                                         unsigned char dtype,
                                                         const PcoChunkConfig* config, void* dst,
                                                         size_t dst_cap, size_t* n_written);

/* Decompresses a standalone file. dst_cap is in numbers. n_written is set to the numbers written.
 * After an error dst and n_written are unchanged. */
CPCODEC_API PcoError pco_standalone_simple_decompress_into(const void* src, size_t src_len,
                                                           unsigned char dtype, void* dst,
                                                           size_t dst_cap, size_t* n_written);
/* The same with dst_cap in bytes. Not part of the reference's binding. */
CPCODEC_API PcoError pco_standalone_simple_decompress_into_bytes(const void* src, size_t src_len,
                                                                 unsigned char dtype, void* dst,
                                                                 size_t dst_cap, size_t* n_written);

#ifdef __cplusplus
}
#endif

#endif
