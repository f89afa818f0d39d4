/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest of a folder of columns (docs/format/table-folder.md) in C: which files a table has
 * and what their numbers mean. Opens no files. The rules of numpact.h hold here too. */
#ifndef NUMPACT_TABLE_H
#define NUMPACT_TABLE_H

#include "numpact/numpact.h"

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C. */
#ifdef __cplusplus
extern "C" {
#endif

enum {
  NUMPACT_TABLE_MAX_MANIFEST_SIZE = 64 << 20, /* bytes of a manifest */
  NUMPACT_TABLE_MAX_LINKS = 8 /* links of a folder that follow each other, to one of its files */
};

/* What the numbers of a column are. The values are stable. */
enum {
  NUMPACT_TABLE_NUMBER = 0,
  NUMPACT_TABLE_BOOL = 1,      /* u8: 0 or 1 */
  NUMPACT_TABLE_DATE32 = 2,    /* i32: days since 1970 */
  NUMPACT_TABLE_DATE64 = 3,    /* i64: milliseconds since 1970 */
  NUMPACT_TABLE_TIME32 = 4,    /* i32: units since midnight */
  NUMPACT_TABLE_TIME64 = 5,    /* i64: units since midnight */
  NUMPACT_TABLE_TIMESTAMP = 6, /* i64: units since 1970, in UTC if there is a time zone */
  NUMPACT_TABLE_DURATION = 7,  /* i64: units */
  NUMPACT_TABLE_OTHER = 8      /* no numbers: a file of Arrow IPC */
};

enum {
  NUMPACT_TABLE_NO_UNIT = 0,
  NUMPACT_TABLE_SECOND = 1,
  NUMPACT_TABLE_MILLI = 2,
  NUMPACT_TABLE_MICRO = 3,
  NUMPACT_TABLE_NANO = 4
};

/* Texts are UTF-8 and end with a zero byte; they are valid while the manifest lives. */
typedef struct numpact_table_column {
  size_t struct_size;
  const char* name; /* may repeat, and contain zero bytes */
  size_t name_size; /* without the zero byte at the end */
  const char* file;
  const char* null_file;  /* the lengths of runs as u64; null: no row is null */
  const char* timezone;   /* NUMPACT_TABLE_TIMESTAMP; "": none */
  const char* type_text;  /* NUMPACT_TABLE_OTHER: the type as Arrow prints it; else null */
  int32_t kind;           /* NUMPACT_TABLE_... */
  int32_t unit;           /* NUMPACT_TABLE_... */
  int32_t is_nullable;    /* 0: the table declares that no value may be null */
  numpact_type type;      /* of the numbers; NUMPACT_NO_TYPE: NUMPACT_TABLE_OTHER */
  uint64_t rows;          /* with those that are null */
  uint64_t numbers;       /* in the file */
  uint64_t nulls;         /* NUMPACT_UNKNOWN: NUMPACT_TABLE_OTHER */
  uint64_t nulls_dropped; /* null rows of the table that the folder does not have */
  /* NUMPACT_TABLE_OTHER: consecutive blocks of the file, of which the first is before all rows, the
   * last behind them, and one for each 65,536 rows between. 0 blocks: there are no checksums. */
  uint64_t file_size;
  size_t block_count;
  const uint64_t* block_ends; /* in the file, exclusive */
  const uint32_t* block_crcs; /* as numpact_crc32 computes them */
} numpact_table_column;

/* Immutable; threads may share it. Keeps nothing of the text. */
typedef struct numpact_table_manifest numpact_table_manifest;

/* Parses a manifest, which is untrusted. After an error `why` (may be null) gets a sentence that
 * names the column and the value, cut to the capacity in bytes, with a zero byte; error->offset is
 * the place in the text. Errors: NUMPACT_CORRUPT; NUMPACT_UNSUPPORTED_VERSION: written by a newer
 * version; NUMPACT_LIMIT_EXCEEDED: the contents need more than 4 MiB and twice the memory of the
 * text; NUMPACT_OUT_OF_MEMORY. */
NUMPACT_C_API numpact_status numpact_table_manifest_parse(const void* text, size_t size,
                                                          numpact_table_manifest** manifest,
                                                          char* why, size_t why_capacity,
                                                          numpact_error* error);
/* Null is allowed. */
NUMPACT_C_API void numpact_table_manifest_destroy(numpact_table_manifest* manifest);
NUMPACT_C_API size_t numpact_table_manifest_column_count(const numpact_table_manifest* manifest);
/* A column by its index in the table. NUMPACT_INVALID_ARGUMENT: there is no such column. */
NUMPACT_C_API numpact_status numpact_table_manifest_column(const numpact_table_manifest* manifest,
                                                           size_t index,
                                                           numpact_table_column* column,
                                                           numpact_error* error);
/* Rows of all columns, 0 if there are none. NUMPACT_UNKNOWN: the columns must not be joined row by
 * row, since nulls of one were left out when the table was written; each can be read alone. */
NUMPACT_C_API uint64_t numpact_table_manifest_rows(const numpact_table_manifest* manifest);

/* The most runs that a column with these counts can have, to bound what its file of nulls may
 * decode to. Saturates. */
NUMPACT_C_API uint64_t numpact_table_max_runs(uint64_t numbers, uint64_t nulls);
/* Checks the lengths of all runs of a column, alternately rows with numbers and null rows, against
 * its counts. NUMPACT_CORRUPT: they contradict them, or one but the first is 0. */
NUMPACT_C_API numpact_status numpact_table_check_runs(const uint64_t* lengths, size_t count,
                                                      uint64_t numbers, uint64_t nulls,
                                                      numpact_error* error);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
