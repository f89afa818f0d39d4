/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a table, which belong to one version of it; internal to this folder. */
#ifndef NUMPACT_INTEGRATIONS_PCO_FILES_H
#define NUMPACT_INTEGRATIONS_PCO_FILES_H

#include "pco_table.h"

typedef struct pco_mapping {
  const uint8_t* bytes;
  size_t size;
} pco_mapping;

typedef enum pco_file_state {
  PCO_ABSENT, /* the column has no such file, or does not use it */
  PCO_MAPPED,
  PCO_KNOWN, /* not opened: too many files. Its size and time tell whether it is replaced */
  PCO_FAILED
} pco_file_state;

typedef struct pco_file {
  pco_file_state state;
  pco_mapping map;
  uint64_t size; /* what identifies its version */
  int64_t changed_s;
  int64_t changed_ns;
  const char* problem; /* PCO_FAILED: why; a static text, or null: */
  int error;           /* the errno */
} pco_file;

struct pco_files {
  pco_file numbers;
  pco_file nulls;
};

/* Maps a file by its path, following links. */
int pco_file_map_path(const char* path, pco_mapping* map, pco_failure* failure);
void pco_unmap(pco_mapping* map);

/* Finds a file of a folder, which may be untrusted: a regular file; of links only those to files of
 * the same folder are followed. Maps it, if `may_map`. Failures are kept in the file. */
void pco_file_find(int folder, const char* name, int may_map, pco_file* file);
/* The bytes of a file that was found, which stay mapped. 0: it failed, or was replaced. */
int pco_file_bytes(int folder, const char* path, const char* name, pco_file* file,
                   pco_failure* failure);

#endif
