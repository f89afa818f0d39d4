/* SPDX-License-Identifier: Apache-2.0 */
/* Collections of vectors that grow, in C: folders of CVC files with an index
 * (docs/format/cvc-collection.md). The rules of numpact.h hold here too. Paths are UTF-8.
 *
 * Reading gives a numpact_cvc_reader. A writer takes rows, and numpact_collection_writer_commit
 * makes them a part of the collection: all or nothing. Whoever reads it meanwhile keeps the rows
 * that it has opened.
 *
 * `why`, where a function has it, may be null; after an error it gets a sentence that names the
 * file, cut to the capacity in bytes, with a zero byte. */
#ifndef NUMPACT_COLLECTION_H
#define NUMPACT_COLLECTION_H

#include "numpact/numpact.h"

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C. */
#ifdef __cplusplus
extern "C" {
#endif

/* Reads all files of a folder as one. They stay mapped until the reader is destroyed, which has the
 * rows of one version of the index, whatever others append meanwhile. Errors: NUMPACT_IO: files
 * cannot be opened; NUMPACT_CORRUPT: a file is not as the index says; NUMPACT_INVALID_ARGUMENT: the
 * collection has no files yet; and those of numpact_cvc_reader_create. */
NUMPACT_C_API numpact_status numpact_collection_open(numpact_context* context, const char* path,
                                                     numpact_cvc_reader** reader, char* why,
                                                     size_t why_capacity, numpact_error* error);

typedef struct numpact_collection_options {
  size_t struct_size;
  /* An array of structs of one size: the columns of a new collection, or those of the rows, in any
   * order; the collection decides in which order they are written. A single one without a name
   * (null or "") is the only one there is, or a new "vectors". A null compression is that of the
   * last file; in a new collection "fp16" for floats, "none" for integers. Null: all columns are
   * those of the last file. */
  const numpact_cvc_column* columns;
  size_t column_count;
  uint64_t chunk_rows;     /* at least 1 */
  const char* metadata;    /* JSON, for a new collection; null: none */
  int64_t lock_timeout_ms; /* waits that long for other writers; -1: without limit */
  int32_t allow_nonfinite; /* 1: quantize chunks with NaN or infinities, see cvc/config.hpp */
  int32_t is_nearest;      /* int8_row, int8_dim, int4: 1: round to nearest; 0: for searches */
} numpact_collection_options;

/* 100,000 rows in a chunk, and no limit for the lock. */
NUMPACT_C_API void numpact_collection_options_init(numpact_collection_options* options);

/* Adds rows to a collection. From numpact_collection_append to the commit, or until it is
 * destroyed, other writers wait. A process that is killed leaves the old rows, or all if the commit
 * was about to return; the next writer removes its files. */
typedef struct numpact_collection_writer numpact_collection_writer;

/* Makes the folder if it is missing. `options` may be null. The executor and the progress function
 * of the context are used until the writer is destroyed. Errors: NUMPACT_TIMED_OUT; NUMPACT_IO;
 * NUMPACT_TYPE_MISMATCH: a column has another type; NUMPACT_INVALID_ARGUMENT: other columns, or the
 * folder holds other files; NUMPACT_CORRUPT and NUMPACT_CHECKSUM: the collection is damaged. */
NUMPACT_C_API numpact_status numpact_collection_append(numpact_context* context, const char* path,
                                                       const numpact_collection_options* options,
                                                       numpact_collection_writer** writer,
                                                       char* why, size_t why_capacity,
                                                       numpact_error* error);
/* Removes what was written, unless it was committed. Null is allowed. */
NUMPACT_C_API void numpact_collection_writer_destroy(numpact_collection_writer* writer);

/* The columns in the order of the collection, with the compressions of the new rows. Names are
 * valid while the writer lives. */
NUMPACT_C_API size_t
numpact_collection_writer_column_count(const numpact_collection_writer* writer);
NUMPACT_C_API numpact_status
numpact_collection_writer_column(const numpact_collection_writer* writer, size_t index,
                                 numpact_cvc_column* column, numpact_error* error);

/* Adds rows: `columns` has an array for each column, in the order of the collection, of `count`
 * rows without gaps, aligned for the dtype of the column. After an error the writer can only be
 * destroyed. */
NUMPACT_C_API numpact_status numpact_collection_writer_write(numpact_collection_writer* writer,
                                                             const void* const* columns,
                                                             uint64_t count, char* why,
                                                             size_t why_capacity,
                                                             numpact_error* error);
/* Adds all rows of a file or another collection, with sections and the metadata of chunks: chunks
 * are copied as they are stored, after their checksums are compared, but small ones are joined with
 * the rows behind them where values stay the same, and lossless ones are encoded. Columns are found
 * by their names; a single one without a name is the only one. */
NUMPACT_C_API numpact_status numpact_collection_writer_copy(numpact_collection_writer* writer,
                                                            const numpact_cvc_reader* reader,
                                                            char* why, size_t why_capacity,
                                                            numpact_error* error);
/* Makes the rows a part of the collection; without any nothing changes. `report` (null is allowed)
 * has the count of the new rows, and the chunks and bytes of the file that they are in. */
NUMPACT_C_API numpact_status numpact_collection_writer_commit(numpact_collection_writer* writer,
                                                              numpact_cvc_report* report, char* why,
                                                              size_t why_capacity,
                                                              numpact_error* error);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
