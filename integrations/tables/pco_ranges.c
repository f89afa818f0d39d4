/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table to read: ranges of rows, cut at chunks, and skipped by their numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pco_data.h"

/* ---- ranges ---- */

static int push(pco_ranges* ranges, uint64_t first, uint64_t end) {
  if (ranges->count == ranges->capacity) {
    const size_t capacity = 2 * ranges->capacity + 8;
    pco_range* items = realloc(ranges->items, capacity * sizeof *items);
    if (items == NULL) return 0;
    ranges->items = items;
    ranges->capacity = capacity;
  }
  ranges->items[ranges->count].first = first;
  ranges->items[ranges->count].end = end;
  ranges->count++;
  return 1;
}

int pco_ranges_add(pco_ranges* ranges, uint64_t first, uint64_t end) {
  if (first >= end) return 1;
  if (ranges->count > 0 && ranges->items[ranges->count - 1].end == first) {
    ranges->items[ranges->count - 1].end = end;
    return 1;
  }
  return push(ranges, first, end);
}

void pco_ranges_free(pco_ranges* ranges) {
  free(ranges->items);
  memset(ranges, 0, sizeof *ranges);
}

/* Replaces `ranges` by their intersection with `others`. */
static int intersect(pco_ranges* ranges, const pco_ranges* others) {
  pco_ranges made = {NULL, 0, 0};
  size_t other = 0;
  for (size_t i = 0; i < ranges->count; i++) {
    const pco_range range = ranges->items[i];
    while (other < others->count && others->items[other].end <= range.first) other++;
    for (size_t k = other; k < others->count && others->items[k].first < range.end; k++) {
      const pco_range o = others->items[k];
      if (!pco_ranges_add(&made, o.first > range.first ? o.first : range.first,
                          o.end < range.end ? o.end : range.end)) {
        pco_ranges_free(&made);
        return 0;
      }
    }
  }
  pco_ranges_free(ranges);
  *ranges = made;
  return 1;
}

int pco_ranges_keep(pco_ranges* ranges, uint64_t first, uint64_t end) {
  pco_range range = {first, end};
  const pco_ranges others = {&range, first < end, 1};
  return intersect(ranges, &others);
}

/* Where the part that begins at `first` ends, at least `min_count` rows on: where a chunk ends, or
 * anywhere in a chunk with restart points. */
static uint64_t part_end(const pco_data* data, uint64_t first, uint64_t end, uint64_t min_count) {
  if (end - first <= min_count) return end;
  const uint64_t numbers = numpact_reader_count(data->reader);
  const uint64_t number = pco_numbers_before(data, first + min_count);
  if (number == 0 || number >= numbers) return end;
  uint64_t chunk_first = 0;
  uint64_t chunk_end = 0;
  const size_t chunk = pco_chunk_of(data, number - 1, &chunk_first, &chunk_end);
  if (pco_has_restarts(data, chunk)) return first + min_count;
  if (chunk_end >= numbers) return end;
  const uint64_t cut = pco_row_of_number(data, chunk_end);
  return cut < end ? cut : end;
}

int pco_table_cut(const pco_table* table, size_t column, uint64_t min_count, pco_ranges* ranges,
                  pco_failure* failure) {
  pco_ranges made = {NULL, 0, 0};
  for (size_t i = 0; i < ranges->count; i++) {
    const uint64_t end = ranges->items[i].end;
    for (uint64_t first = ranges->items[i].first; first < end;) {
      const uint64_t cut = part_end(table->data[column], first, end, min_count);
      if (!push(&made, first, cut)) {
        pco_ranges_free(&made);
        return pco_fail(failure, "%s: out of memory", table->path);
      }
      first = cut;
    }
  }
  pco_ranges_free(ranges);
  *ranges = made;
  return 1;
}

/* ---- bounds ---- */

int pco_type_is_float(numpact_type type) {
  return type == NUMPACT_F16 || type == NUMPACT_F32 || type == NUMPACT_F64;
}

int pco_type_is_signed(numpact_type type) {
  return type == NUMPACT_I8 || type == NUMPACT_I16 || type == NUMPACT_I32 || type == NUMPACT_I64;
}

/* The nearest doubles below and above: an integer that was rounded lies between them. */
static double outwards(double value, int is_low) {
  return nextafter(value, is_low ? -INFINITY : INFINITY);
}

void pco_bound_set_f64(pco_bound* bound, numpact_type type, int is_low, double value) {
  if (isnan(value)) return;
  *(is_low ? &bound->has_low : &bound->has_high) = 1;
  if (pco_type_is_float(type)) {
    *(is_low ? &bound->low.f : &bound->high.f) = value;
    return;
  }
  /* From 2^53 on, the value may stand for integers that it is only near to. */
  if (fabs(value) >= 9007199254740992.0) value = outwards(value, is_low);
  value = is_low ? floor(value) : ceil(value);
  if (pco_type_is_signed(type)) {
    const int64_t limited = value <= -9223372036854775808.0  ? INT64_MIN
                            : value >= 9223372036854775808.0 ? INT64_MAX
                                                             : (int64_t)value;
    *(is_low ? &bound->low.i : &bound->high.i) = limited;
    return;
  }
  const uint64_t limited = value >= 18446744073709551616.0 ? UINT64_MAX
                           : value <= 0                    ? 0
                                                           : (uint64_t)value;
  if (!is_low && value < 0) {
    /* Below all numbers: an empty range. */
    bound->has_low = 1;
    bound->low.u = UINT64_MAX;
  }
  *(is_low ? &bound->low.u : &bound->high.u) = limited;
}

void pco_bound_set_i64(pco_bound* bound, numpact_type type, int is_low, int64_t value) {
  if (pco_type_is_float(type)) {
    pco_bound_set_f64(bound, type, is_low, outwards((double)value, is_low));
  } else if (pco_type_is_signed(type)) {
    *(is_low ? &bound->has_low : &bound->has_high) = 1;
    *(is_low ? &bound->low.i : &bound->high.i) = value;
  } else if (value < 0) {
    pco_bound_set_f64(bound, type, is_low, -1.0);
  } else {
    pco_bound_set_u64(bound, type, is_low, (uint64_t)value);
  }
}

void pco_bound_set_u64(pco_bound* bound, numpact_type type, int is_low, uint64_t value) {
  if (pco_type_is_float(type)) {
    pco_bound_set_f64(bound, type, is_low, outwards((double)value, is_low));
  } else if (pco_type_is_signed(type)) {
    if (value <= INT64_MAX) pco_bound_set_i64(bound, type, is_low, (int64_t)value);
  } else {
    *(is_low ? &bound->has_low : &bound->has_high) = 1;
    *(is_low ? &bound->low.u : &bound->high.u) = value;
  }
}

float pco_half_to_float(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  float magnitude = ldexpf((float)(mantissa + 1024), exponent - 25);
  if (exponent == 0) magnitude = ldexpf((float)mantissa, -24);
  if (exponent == 31) magnitude = mantissa == 0 ? INFINITY : NAN;
  return bits >> 15 ? -magnitude : magnitude;
}

/* ---- chunks that may match ---- */

static double float_of(numpact_type type, uint64_t bits) {
  if (type == NUMPACT_F16) return pco_half_to_float((uint16_t)bits);
  if (type == NUMPACT_F32) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t signed_of(numpact_type type, uint64_t bits) {
  const unsigned unused = 64 - 8 * (unsigned)numpact_type_size(type);
  const uint64_t sign = (uint64_t)1 << 63 >> unused;
  return (int64_t)((bits ^ sign) - sign);
}

/* Whether a number of the chunk may lie within the bound. Doubles compare -0.0 equal to 0.0, as
 * engines do. */
static int may_match(const pco_bound* bound, numpact_type type,
                     const numpact_chunk_summary* chunk) {
  if (chunk->nan_count > 0 && bound->nan_matches) return 1;
  if (!chunk->has_range) return 0;
  const uint64_t min = chunk->min_bits;
  const uint64_t max = chunk->max_bits;
  if (pco_type_is_float(type)) {
    return (!bound->has_low || float_of(type, max) >= bound->low.f) &&
           (!bound->has_high || float_of(type, min) <= bound->high.f);
  }
  if (pco_type_is_signed(type)) {
    return (!bound->has_low || signed_of(type, max) >= bound->low.i) &&
           (!bound->has_high || signed_of(type, min) <= bound->high.i);
  }
  return (!bound->has_low || max >= bound->low.u) && (!bound->has_high || min <= bound->high.u);
}

/* The rows of the chunks that may match; 0: out of memory. */
static int rows_of_chunks(const pco_data* data, const pco_bound* bound, numpact_type type,
                          pco_ranges* rows) {
  const size_t chunks = numpact_trailer_chunk_count(data->trailer);
  numpact_chunk_summary chunk;
  memset(&chunk, 0, sizeof chunk);
  chunk.struct_size = sizeof chunk;
  for (size_t i = 0; i < chunks; i++) {
    const int is_known = numpact_trailer_chunk(data->trailer, i, &chunk, NULL) == NUMPACT_OK;
    if (is_known && !may_match(bound, type, &chunk)) continue;
    const uint64_t first = pco_row_of_number(data, chunk.first);
    if (!pco_ranges_add(rows, first, pco_row_of_number(data, chunk.first + chunk.count - 1) + 1)) {
      return 0;
    }
  }
  return 1;
}

int pco_table_prune(const pco_table* table, const pco_bound* bound, pco_ranges* ranges,
                    pco_failure* failure) {
  const pco_data* data = table->data[bound->column];
  const numpact_type type = table->columns[bound->column].type;
  if (data->trailer == NULL || (!bound->has_low && !bound->has_high)) return 1;
  pco_ranges rows = {NULL, 0, 0};
  const int ok = rows_of_chunks(data, bound, type, &rows) && intersect(ranges, &rows);
  pco_ranges_free(&rows);
  return ok || pco_fail(failure, "%s: out of memory", table->path);
}
