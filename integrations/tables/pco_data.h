/* SPDX-License-Identifier: Apache-2.0 */
/* The loaded files of a column, and the places of its rows; internal to this folder. */
#ifndef NUMPACT_INTEGRATIONS_PCO_DATA_H
#define NUMPACT_INTEGRATIONS_PCO_DATA_H

#include "pco_files.h"

/* The end of a run: the rows and the numbers up to it. Even runs have numbers, odd ones nulls. */
typedef struct pco_run_end {
  uint64_t row;
  uint64_t number;
} pco_run_end;

struct pco_data {
  pco_mapping file; /* of pco_files */
  numpact_reader* reader;
  numpact_trailer* trailer; /* null: there is none that can be used */
  pco_run_end* runs;        /* null: no row is null */
  size_t run_count;
  uint64_t null_bytes;
};

/* Describes an error of the library; returns 0. `name` null: the path is the file. */
int pco_fail_with(pco_failure* failure, const char* path, const char* name,
                  const numpact_error* error);

/* The first run that ends after a row, which always exists. */
size_t pco_run_of_row(const pco_data* data, uint64_t row);
/* How many numbers lie in the rows before `row`, which may be the end. */
uint64_t pco_numbers_before(const pco_data* data, uint64_t row);
/* The row of an existing number. */
uint64_t pco_row_of_number(const pco_data* data, uint64_t number);
/* The index of the chunk that holds an existing number, with its first and last position. */
size_t pco_chunk_of(const pco_data* data, uint64_t number, uint64_t* first, uint64_t* end);
/* Whether decoding can start within a chunk, at points that its trailer has. */
int pco_has_restarts(const pco_data* data, size_t chunk);

#endif
