/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables in C: folders of columns (docs/format/table-folder.md). The rules of numpact.h and
 * of table.h hold here too.
 *
 * A writer takes the rows of each column, and numpact_table_writer_commit makes them the table: all
 * or nothing. An append writes new files, the parts of columns, and then replaces the manifest.
 * Whoever reads the table meanwhile keeps what it has opened. */
#ifndef NUMPACT_TABLE_WRITER_H
#define NUMPACT_TABLE_WRITER_H

#include "numpact/table.h"

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C. */
#ifdef __cplusplus
extern "C" {
#endif

/* Threads may write different columns at the same time; all other calls, and those for one column,
 * are for one thread at a time. */
typedef struct numpact_table_writer numpact_table_writer;

typedef struct numpact_table_writer_options {
  size_t struct_size;
  /* Of numbers; null: the default level, and trailers with restart points every 2^14 numbers. */
  const numpact_encode_options* encode;
  uint64_t rows;           /* that each column will get, so that chunks are of equal sizes; 0: not
                            * known */
  int64_t lock_timeout_ms; /* waits that long for other writers; -1: without limit */
  int32_t no_verify;       /* 0: what was written is decoded, and compared with the numbers */
} numpact_table_writer_options;

/* Waits without limit, and verifies. */
NUMPACT_C_API void numpact_table_writer_options_init(numpact_table_writer_options* options);

/* Locks a table, by the path of its folder in UTF-8, and plans to add rows. `options` may be null.
 * Files that a killed writer has left are removed. Errors: NUMPACT_TIMED_OUT; NUMPACT_IO and
 * NUMPACT_CORRUPT: it cannot be read; NUMPACT_INVALID_ARGUMENT: nulls of a column were left out
 * when it was written, so that rows cannot follow. */
NUMPACT_C_API numpact_status numpact_table_writer_append(
    const char* path, const numpact_table_writer_options* options, numpact_table_writer** writer,
    char* why, size_t why_capacity, numpact_error* error);
/* A new table. Of `columns`, an array of structs of one size, only name, name_size, kind, unit,
 * timezone (null: none), is_nullable and type are used, type_text of NUMPACT_TABLE_OTHER and of
 * NUMPACT_TABLE_TEXT, whose type of numbers follows from the count of texts, and precision, scale
 * and decimal_bits of NUMPACT_TABLE_DECIMAL. The folder must not exist, or, unless may_replace is
 * 0, be empty or a table with no other files: else NUMPACT_INVALID_ARGUMENT. */
NUMPACT_C_API numpact_status numpact_table_writer_create(
    const char* path, const numpact_table_column* columns, size_t column_count, int32_t may_replace,
    const numpact_table_writer_options* options, numpact_table_writer** writer, char* why,
    size_t why_capacity, numpact_error* error);
/* Removes what was written, unless it was committed. Null is allowed. */
NUMPACT_C_API void numpact_table_writer_destroy(numpact_table_writer* writer);
/* The columns: of an append with the rows before it, after commit as they are then. Valid up to the
 * next call of commit or destroy. */
NUMPACT_C_API const numpact_table_manifest* numpact_table_writer_get_manifest(
    const numpact_table_writer* writer);

/* Before the first row of a column of numbers: its new rows are rounded as numpact_round does.
 * Those that an append copies are not. NUMPACT_INVALID_ARGUMENT: also dates, times and booleans. */
NUMPACT_C_API numpact_status numpact_table_writer_set_rounding(numpact_table_writer* writer,
                                                               size_t column,
                                                               const numpact_rounding* rounding,
                                                               char* why, size_t why_capacity,
                                                               numpact_error* error);
/* What became of the rows so far. NUMPACT_INVALID_ARGUMENT: they are not rounded. */
NUMPACT_C_API numpact_status numpact_table_writer_get_rounding(const numpact_table_writer* writer,
                                                               size_t column,
                                                               numpact_rounding_report* report,
                                                               numpact_error* error);

/* Adds rows to a column of numbers by its index in the table: row_count numbers of its type, of
 * which those of null rows are not used. `valid`: as many bytes, 0 for null rows, else 1; null: no
 * row is null. NUMPACT_INVALID_ARGUMENT: also nulls, which the column of the table that is extended
 * excludes. */
NUMPACT_C_API numpact_status numpact_table_writer_write(numpact_table_writer* writer, size_t column,
                                                        const void* numbers, const uint8_t* valid,
                                                        size_t row_count, char* why,
                                                        size_t why_capacity, numpact_error* error);

/* Adds rows to a column of NUMPACT_TABLE_TEXT: row_count texts, of which each ends in `bytes` where
 * `ends` says and the next one begins; those of null rows are not used. 4 bytes of memory are taken
 * for each row until the commit. NUMPACT_INVALID_ARGUMENT: also a text that is not UTF-8. */
NUMPACT_C_API numpact_status numpact_table_writer_write_texts(
    numpact_table_writer* writer, size_t column, const char* bytes, const uint64_t* ends,
    const uint8_t* valid, size_t row_count, char* why, size_t why_capacity, numpact_error* error);

/* What a caller's function writes: a file of Arrow IPC, as the format's page says, with the rows of
 * `copied`, which are files of the folder, and then the new ones. */
typedef struct numpact_table_other_rows {
  size_t struct_size;
  const numpact_table_part* copied;
  size_t copied_count;
  numpact_write_function write; /* of the file's bytes; returns another number than 0 if it fails,
                                 * which the caller's function returns, too */
  void* sink;                   /* the first argument of `write` */
  uint64_t rows;                /* set by the function: how many rows the file has */
  const char* type_text;        /* of the column; the function may set another one */
} numpact_table_other_rows;
/* Returns 0, or an errno or another number if it fails. */
typedef int (*numpact_table_other_function)(void* opaque, numpact_table_other_rows* rows);

/* Adds all new rows of a column that Pco cannot hold, by one call. */
NUMPACT_C_API numpact_status numpact_table_writer_write_other(
    numpact_table_writer* writer, size_t column, numpact_table_other_function function,
    void* opaque, char* why, size_t why_capacity, numpact_error* error);

/* Completes the files, verifies and syncs them, and makes them the table. NUMPACT_INVALID_ARGUMENT:
 * columns have different counts of new rows, or another column was not written. If it fails,
 * nothing has changed. Without new rows an append changes nothing. */
NUMPACT_C_API numpact_status numpact_table_writer_commit(numpact_table_writer* writer, char* why,
                                                         size_t why_capacity, numpact_error* error);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
