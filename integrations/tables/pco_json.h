/* SPDX-License-Identifier: Apache-2.0 */
/* Views of JSON text. Only requested strings are allocated. */
#ifndef NUMPACT_INTEGRATIONS_PCO_JSON_H
#define NUMPACT_INTEGRATIONS_PCO_JSON_H

#include <stddef.h>
#include <stdint.h>

/* A value: the text from its first character. `at` null: there is none. */
typedef struct pco_json {
  const char* at;
  const char* end; /* of the whole text */
} pco_json;

/* Checks a whole text: its grammar, and its limits (docs/format/table-folder.md). */
int pco_json_check(const char* text, size_t size, pco_json* root);

/* The functions below take values of a text that was checked. */
int pco_json_is_object(pco_json value);
int pco_json_is_array(pco_json value);
int pco_json_is_string(pco_json value);
/* A member of an object; of several with one name the last. */
pco_json pco_json_find(pco_json object, const char* key);
/* The elements of an array. */
pco_json pco_json_first(pco_json array);
pco_json pco_json_next(pco_json element);
/* A count: digits only, below 2^62, so that a sum of two fits. */
int pco_json_count(pco_json value, uint64_t* count);
/* The text of a string in UTF-8, for `free`. Null: no string, not UTF-8, with a zero byte, or out
 * of memory. */
char* pco_json_text(pco_json value);

#endif
