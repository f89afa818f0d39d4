/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in C: folders of columns (docs/format/table-folder.md), their manifests, filters, and
 * rows. The rules of numpact.h hold here too.
 *
 * `why`, where a function has it, may be null; after an error it gets a sentence that names the
 * file and the column, cut to the capacity in bytes, with a zero byte. */
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
  NUMPACT_TABLE_OTHER = 8,     /* no numbers: a file of Arrow IPC */
  NUMPACT_TABLE_TEXT = 9,      /* u8, u16 or u32: places among texts, see numpact_table_get_texts */
  NUMPACT_TABLE_DECIMAL = 10   /* i64: multiples of 10 to the power of -scale */
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
  const char* name;      /* may repeat, and contain zero bytes */
  size_t name_size;      /* without the zero byte at the end */
  const char* file;      /* "": there are several, see numpact_table_manifest_part */
  const char* null_file; /* the lengths of runs as u64; null: no row is null, or several files */
  const char* timezone;  /* NUMPACT_TABLE_TIMESTAMP; "": none */
  /* The type as Arrow prints it: any of NUMPACT_TABLE_OTHER; of NUMPACT_TABLE_TEXT that of the
   * texts, also of those that are categories: "string", "large_string" or "string_view", which are
   * UTF-8, "binary", "large_binary" or "binary_view"; else null. */
  const char* type_text;
  int32_t kind;           /* NUMPACT_TABLE_... */
  int32_t unit;           /* NUMPACT_TABLE_... */
  int32_t is_nullable;    /* 0: the table declares that no value may be null */
  numpact_type type;      /* of the numbers; NUMPACT_NO_TYPE: NUMPACT_TABLE_OTHER */
  uint64_t rows;          /* with those that are null */
  uint64_t numbers;       /* in its files */
  uint64_t nulls;         /* NUMPACT_UNKNOWN: NUMPACT_TABLE_OTHER */
  uint64_t nulls_dropped; /* null rows of the table that the folder does not have */
  /* NUMPACT_TABLE_OTHER: consecutive blocks of the file, of which the first is before all rows, the
   * last behind them, and one for each 65,536 rows between. 0 blocks: there are no checksums. */
  uint64_t file_size;
  size_t block_count;
  const uint64_t* block_ends; /* in the file, exclusive */
  const uint32_t* block_crcs; /* as numpact_crc32 computes them */
  size_t part_count;          /* at least 1 */
  const char* text_file;      /* NUMPACT_TABLE_TEXT: the file of the texts; else null */
  /* NUMPACT_TABLE_DECIMAL: digits, 1 to 18, how many of them are behind the point, and the bits of
   * a value in Arrow, 32, 64, 128 or 256; else 0 */
  int32_t precision;
  int32_t scale;
  int32_t decimal_bits;
} numpact_table_column;

/* Consecutive rows of a column, in files of their own. Valid while the manifest lives. */
typedef struct numpact_table_part {
  size_t struct_size;
  const char* file;
  const char* null_file; /* null: no row is null, or NUMPACT_TABLE_OTHER */
  uint64_t rows;         /* with those that are null */
  uint64_t numbers;      /* in the file; 0: NUMPACT_TABLE_OTHER */
  uint64_t file_size;    /* 0: the manifest does not say it */
  size_t block_count;    /* these as in numpact_table_column */
  const uint64_t* block_ends;
  const uint32_t* block_crcs;
} numpact_table_part;

/* Immutable; threads may share it. Keeps nothing of the text. */
typedef struct numpact_table_manifest numpact_table_manifest;

/* Parses a manifest, which is untrusted. `why` names the column and the value; error->offset is the
 * place in the text. Errors: NUMPACT_CORRUPT; NUMPACT_UNSUPPORTED_VERSION: written by a newer
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
/* A part of a column. NUMPACT_INVALID_ARGUMENT: there is no such one. */
NUMPACT_C_API numpact_status numpact_table_manifest_part(const numpact_table_manifest* manifest,
                                                         size_t column, size_t index,
                                                         numpact_table_part* part,
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

/* A column that the table had and the folder does not. */
typedef struct numpact_table_skipped {
  size_t struct_size;
  const char* name;
  const char* type_text; /* as Arrow prints it */
  const char* reason;
} numpact_table_skipped;

NUMPACT_C_API size_t numpact_table_manifest_skipped_count(const numpact_table_manifest* manifest);
NUMPACT_C_API numpact_status numpact_table_manifest_skipped(const numpact_table_manifest* manifest,
                                                            size_t index,
                                                            numpact_table_skipped* skipped,
                                                            numpact_error* error);

/* ---- rows ---- */

/* An open table. Threads may share it. */
typedef struct numpact_table numpact_table;
/* A query that was bound to a table: the rows that may match. Immutable; threads may share it, each
 * with a cursor of its own. */
typedef struct numpact_table_scan numpact_table_scan;
/* Reads rows of a scan, for one thread at a time. */
typedef struct numpact_table_cursor numpact_table_cursor;

/* The files of a table that the caller opens. Called concurrently; both return 0, or an errno or
 * another number if they fail. Names are those of the manifest, and "manifest.json". */
typedef struct numpact_table_files {
  size_t struct_size;
  void* opaque;
  int (*size)(void* opaque, const char* name, uint64_t* size);
  /* Reads 1 to `capacity` bytes at an offset; *size is 0 only behind the end of the file. Asks for
   * a manifest at once, for the end of each column in use, and for each run of adjacent chunks that
   * may match, of at most 32 MiB. */
  int (*read)(void* opaque, const char* name, uint64_t offset, void* out, size_t capacity,
              size_t* size);
} numpact_table_files;

/* Opens a folder by its path in UTF-8, or a Pco file as a table of one column. All files of a
 * folder are mapped (of more than 4,096 size and time are noted), so that they belong to one
 * version of the table, also if it is replaced meanwhile; they must not be truncated. Only regular
 * files are opened, and links to files of the folder. The limits are those of the context, which
 * may be null: max_memory bounds the memory for nulls and for decoding, the others what one call
 * reads. Errors: as numpact_table_manifest_parse, NUMPACT_IO, and those of reading a file; columns
 * are read when they are used. */
NUMPACT_C_API numpact_status numpact_table_open(const numpact_context* context, const char* path,
                                                numpact_table** table, char* why,
                                                size_t why_capacity, numpact_error* error);
/* The files' functions are called until the last object of the table is destroyed. */
NUMPACT_C_API numpact_status numpact_table_open_files(const numpact_context* context,
                                                      const numpact_table_files* files,
                                                      numpact_table** table, char* why,
                                                      size_t why_capacity, numpact_error* error);
/* Null is allowed. Scans and cursors of the table may live longer. */
NUMPACT_C_API void numpact_table_destroy(numpact_table* table);
/* Its columns; valid while the table lives. A Pco file has one, of the file's name. */
NUMPACT_C_API const numpact_table_manifest* numpact_table_get_manifest(const numpact_table* table);
/* What lies behind the end of a Pco file that was opened as a table, which is not read, such as a
 * second file that was joined to it. Of a folder it has no warning. */
NUMPACT_C_API numpact_status numpact_table_file_end(const numpact_table* table,
                                                    numpact_file_end* end, numpact_error* error);
/* The only column with a name. NUMPACT_INVALID_ARGUMENT: there is none, or several. */
NUMPACT_C_API numpact_status numpact_table_find(const numpact_table* table, const char* name,
                                                size_t name_size, size_t* column,
                                                numpact_error* error);

/* The texts of a column, which differ. Valid while the table lives. */
typedef struct numpact_table_texts {
  size_t struct_size;
  size_t count;
  const uint64_t* offsets; /* where each begins in `bytes`, and the end of the last one */
  const char* bytes;
} numpact_table_texts;

/* The texts of a column of NUMPACT_TABLE_TEXT, which is opened if need be. All numbers of the
 * column that cursors give are places among them. NUMPACT_TYPE_MISMATCH: it is another column. */
NUMPACT_C_API numpact_status numpact_table_get_texts(const numpact_table* table, size_t column,
                                                     numpact_table_texts* texts, char* why,
                                                     size_t why_capacity, numpact_error* error);

enum {
  NUMPACT_TABLE_EQUAL = 0,
  NUMPACT_TABLE_NOT_EQUAL = 1,
  NUMPACT_TABLE_LESS = 2,
  NUMPACT_TABLE_LESS_EQUAL = 3,
  NUMPACT_TABLE_GREATER = 4,
  NUMPACT_TABLE_GREATER_EQUAL = 5,
  NUMPACT_TABLE_IN = 6, /* any count of values */
  NUMPACT_TABLE_IS_NULL = 7,
  NUMPACT_TABLE_IS_NOT_NULL = 8,
  NUMPACT_TABLE_LIKE = 9 /* text that begins as the value says: 'abc%' */
};

/* Kinds of values. Those of `text` are as the language of filters has them (docs/cli-tables.md). */
enum {
  NUMPACT_TABLE_VALUE_NUMBER = 0,      /* text: decimal, with or without sign, point and exponent */
  NUMPACT_TABLE_VALUE_TEXT = 1,        /* text, or the ISO form of a date, time or duration */
  NUMPACT_TABLE_VALUE_BOOL = 2,        /* text: true or false */
  NUMPACT_TABLE_VALUE_TIME = 3,        /* text: a date, time or timestamp in ISO form */
  NUMPACT_TABLE_VALUE_INSTANT = 4,     /* text: seconds since 1970, decimal */
  NUMPACT_TABLE_VALUE_TIME_OF_DAY = 5, /* text: seconds since midnight, decimal */
  NUMPACT_TABLE_VALUE_DURATION = 6,    /* text: seconds, decimal */
  NUMPACT_TABLE_VALUE_BYTES = 7,       /* text: any bytes, for columns of "binary" */
  /* A number as the column stores it, whatever it means there; compared exactly. */
  NUMPACT_TABLE_VALUE_I64 = 16,
  NUMPACT_TABLE_VALUE_U64 = 17,
  NUMPACT_TABLE_VALUE_F64 = 18
};

typedef struct numpact_table_value {
  size_t struct_size;
  int32_t kind;     /* NUMPACT_TABLE_VALUE_... */
  int32_t is_zoned; /* NUMPACT_TABLE_VALUE_INSTANT: it has a time zone */
  const char* text;
  size_t text_size;
  int64_t i64;
  uint64_t u64;
  double f64;
} numpact_table_value;

typedef struct numpact_table_condition {
  size_t struct_size;
  size_t column; /* its index in the table */
  int32_t op;    /* NUMPACT_TABLE_EQUAL, ... */
  size_t value_count;
  const numpact_table_value* values;
} numpact_table_condition;

typedef struct numpact_table_query {
  size_t struct_size;
  const size_t* columns; /* whose values batches have, by their index in the table */
  size_t column_count;
  const char* where; /* a filter in the language of filters; null: none */
  size_t where_size;
  const numpact_table_condition* conditions; /* which must hold, too */
  size_t condition_count;
  uint64_t first_row;
  uint64_t end_row; /* exclusive; NUMPACT_UNKNOWN: all rows from first_row on */
  /* For callers who compare the rows again, and for whom a NaN may satisfy any comparison: chunks
   * with NaNs are not left out. */
  int32_t nan_may_match;
  /* Cuts the ranges of the scan into parts of at least this many rows, which threads read, where
   * chunks of the first column end or decoding can begin. 0: no cuts. */
  uint64_t min_part_rows;
  uint64_t window_rows; /* rows of a batch's window at most; 0: 65,536 */
} numpact_table_query;

/* A query of all rows and no column. */
NUMPACT_C_API void numpact_table_query_init(numpact_table_query* query);

/* Binds a query: finds the rows that may match by the trailers of the columns in conditions, and
 * opens all columns of the query. NUMPACT_INVALID_ARGUMENT: the filter is not one, there is no such
 * column, the columns cannot be joined row by row, or there are fewer rows; NUMPACT_TYPE_MISMATCH:
 * a value is of another kind than its column, or a column of a condition does not hold numbers. */
NUMPACT_C_API numpact_status numpact_table_scan_create(const numpact_table* table,
                                                       const numpact_table_query* query,
                                                       numpact_table_scan** scan, char* why,
                                                       size_t why_capacity, numpact_error* error);
/* Null is allowed. */
NUMPACT_C_API void numpact_table_scan_destroy(numpact_table_scan* scan);
/* The ranges of rows that may match: ascending, apart, not empty; cut as the query asks. */
NUMPACT_C_API size_t numpact_table_scan_range_count(const numpact_table_scan* scan);
NUMPACT_C_API numpact_status numpact_table_scan_range(const numpact_table_scan* scan, size_t index,
                                                      uint64_t* first_row, uint64_t* end_row,
                                                      numpact_error* error);

NUMPACT_C_API numpact_status numpact_table_cursor_create(const numpact_table_scan* scan,
                                                         numpact_table_cursor** cursor,
                                                         numpact_error* error);
/* Null is allowed. */
NUMPACT_C_API void numpact_table_cursor_destroy(numpact_table_cursor* cursor);

/* Reads rows of any column of the table, which is opened if need be: row_count numbers of its type,
 * 0 for null rows. `valid`: as many bytes, 0 for null rows, else 1; null: not wanted. A caller that
 * reads on says up to which row (`ahead`; 0: it does not), so that chunks are decoded once. */
NUMPACT_C_API numpact_status numpact_table_cursor_read(numpact_table_cursor* cursor, size_t column,
                                                       uint64_t first_row, size_t row_count,
                                                       uint64_t ahead, void* numbers,
                                                       uint8_t* valid, char* why,
                                                       size_t why_capacity, numpact_error* error);

/* Reads rows by their numbers, which increase or repeat: row_count numbers of the column's type,
 * and `valid` as above. Chunks without any of them are not decoded; of one with restart points,
 * only what lies between those around a row. NUMPACT_INVALID_ARGUMENT: they decrease, or there are
 * fewer rows. */
NUMPACT_C_API numpact_status numpact_table_cursor_take(numpact_table_cursor* cursor, size_t column,
                                                       const uint64_t* rows, size_t row_count,
                                                       void* numbers, uint8_t* valid, char* why,
                                                       size_t why_capacity, numpact_error* error);

/* A window of rows in which some match. */
typedef struct numpact_table_batch {
  size_t struct_size;
  uint64_t first_row;
  uint64_t window_rows; /* 0: the end */
  uint64_t rows;        /* that match, at least one */
  const uint8_t* kept;  /* window_rows bytes, 1 for those that match, else 0; null: all match */
} numpact_table_batch;

/* Begins at a row, and ends before another one. */
NUMPACT_C_API void numpact_table_cursor_start(numpact_table_cursor* cursor, uint64_t first_row,
                                              uint64_t end_row);
/* What it gives is valid until the next call. */
NUMPACT_C_API numpact_status numpact_table_cursor_next(numpact_table_cursor* cursor,
                                                       numpact_table_batch* batch, char* why,
                                                       size_t why_capacity, numpact_error* error);
/* Values of the query's column `index` for the rows of the last batch: numbers of the column's
 * type, 0 for null rows, and 0 for null rows in `valid`, which becomes null if no row is null.
 * Numbers become null for a column that holds none. */
NUMPACT_C_API numpact_status numpact_table_cursor_values(const numpact_table_cursor* cursor,
                                                         size_t index, const void** numbers,
                                                         const uint8_t** valid,
                                                         numpact_error* error);

/* The value of an IEEE binary16 number. */
NUMPACT_C_API float numpact_half_to_float(uint16_t bits);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
