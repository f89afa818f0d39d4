/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the manifest of a folder of columns. */
#ifndef NUMPACT_INTEGRATIONS_PCO_MANIFEST_H
#define NUMPACT_INTEGRATIONS_PCO_MANIFEST_H

#include "pco_table.h"

/* Sets rows, columns and column_count of a table from the text of a manifest, which is untrusted.
 * `path` is named in messages. After a failure the table's owner frees the parts that were set. */
int pco_manifest_parse(pco_table* table, const char* path, const void* text, size_t size,
                       pco_failure* failure);

#endif
