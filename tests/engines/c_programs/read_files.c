/* SPDX-License-Identifier: Apache-2.0 */
/* Reads each of the files named by every function that reads files in memory or streams, and prints
 * what it finds, with checksums: builds of the library must print the same. */
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 1000, BLOCK = 37 };

typedef struct bytes {
  unsigned char* data;
  size_t size;
} bytes;

static bytes read_whole(const char* path) {
  bytes all = {NULL, 0};
  FILE* const file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  all.size = (size_t)ftell(file);
  rewind(file);
  all.data = malloc(all.size + 1);
  if (all.data == NULL || fread(all.data, 1, all.size, file) != all.size) exit(1);
  fclose(file);
  return all;
}

static void print(const char* what, numpact_status status, uint64_t number,
                  const numpact_error* error) {
  if (status == NUMPACT_OK) {
    printf("  %s: %llu\n", what, (unsigned long long)number);
  } else {
    printf("  %s: %s: %s\n", what, numpact_status_name(status), error->text);
  }
}

static bytes stream; /* what is left of the stream */

static int next_block(void* opaque, void* to, size_t capacity, size_t* size) {
  (void)opaque;
  *size = capacity < BLOCK ? capacity : BLOCK;
  if (*size > stream.size) *size = stream.size;
  memcpy(to, stream.data, *size);
  stream.data += *size;
  stream.size -= *size;
  return 0;
}

static void read_as_stream(numpact_context* context, bytes file, numpact_type type, void* out,
                           size_t capacity, numpact_error* error) {
  numpact_stream_reader* reader = NULL;
  size_t total = 0;
  size_t count = 1;
  const size_t size = numpact_type_size(type);
  stream = file;
  numpact_status status =
      numpact_stream_reader_create(context, next_block, NULL, &reader, error);
  while (status == NUMPACT_OK && count > 0 && total < capacity) {
    const size_t step = capacity - total < STEP ? capacity - total : STEP;
    status = numpact_stream_reader_read(reader, type, (char*)out + total * size, step * size,
                                        &count, error);
    if (status == NUMPACT_OK) total += count;
  }
  print("stream", status, numpact_crc32(out, total * size, 0), error);
  numpact_stream_reader_destroy(reader);
}

static void read_range(numpact_context* context, bytes file, numpact_type type, void* out,
                       uint64_t count, numpact_error* error) {
  numpact_reader* reader = NULL;
  numpact_status status = numpact_reader_create(context, file.data, file.size, &reader, error);
  print("reader", status, status == NUMPACT_OK ? numpact_reader_count(reader) : 0, error);
  if (status != NUMPACT_OK) return;
  const size_t n = (size_t)(count / 3);
  status = numpact_reader_read(reader, context, count / 3, type, out, n, error);
  print("range", status, numpact_crc32(out, n * numpact_type_size(type), 0), error);
  numpact_reader_destroy(reader);
}

static void read_trailer(bytes file, numpact_error* error) {
  numpact_trailer* trailer = NULL;
  const numpact_status status = numpact_trailer_read(file.data, file.size, &trailer, error);
  print("trailer", status, trailer != NULL ? numpact_trailer_chunk_count(trailer) : 0, error);
  numpact_trailer_destroy(trailer);
}

static void read_numbers(numpact_context* context, bytes file) {
  numpact_error error;
  numpact_error_init(&error);
  numpact_file_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
  uint64_t count = 0;
  numpact_status status = numpact_read_info(file.data, file.size, &info, &error);
  print("type", status, info.type, &error);
  status = numpact_count(context, file.data, file.size, &count, &error);
  print("count", status, count, &error);
  if (status != NUMPACT_OK || info.type == NUMPACT_NO_TYPE) return;
  const size_t size = numpact_type_size(info.type);
  const size_t capacity = (size_t)count * size;
  char* const out = calloc((size_t)count + 1, size);
  size_t decoded = 0;
  int is_finished = 0;
  if (out == NULL) exit(1);
  status = numpact_decompress(context, file.data, file.size, info.type, out, capacity, &decoded,
                              &error);
  print("numbers", status, numpact_crc32(out, capacity, 0), &error);
  if (count > 0) {
    const char* const some = out + count / 2 * size;
    status = numpact_count_where(context, file.data, file.size, info.type, out, some, &count,
                                 &error);
    print("count_where", status, count, &error);
    count = decoded;
  }
  status = numpact_decompress_front(context, file.data, file.size, info.type, out, capacity / 2,
                                    &decoded, &is_finished, &error);
  print("front", status, numpact_crc32(out, decoded * size, 0), &error);
  read_range(context, file, info.type, out, count, &error);
  read_as_stream(context, file, info.type, out, (size_t)count, &error);
  read_trailer(file, &error);
  numpact_verification verification = {sizeof verification, 0, 0, 0, 0, 0, 0, 0};
  status = numpact_verify(context, file.data, file.size, &verification, &error);
  print("sound", status, (uint64_t)verification.is_sound, &error);
  free(out);
}

static void read_vectors(numpact_context* context, bytes file) {
  numpact_error error;
  numpact_error_init(&error);
  numpact_cvc_reader* reader = NULL;
  numpact_status status = numpact_cvc_reader_create(context, file.data, file.size, &reader, &error);
  print("rows", status, status == NUMPACT_OK ? numpact_cvc_reader_rows(reader) : 0, &error);
  if (status != NUMPACT_OK) return;
  const uint64_t rows = numpact_cvc_reader_rows(reader);
  for (size_t i = 0; i < numpact_cvc_reader_column_count(reader); ++i) {
    numpact_cvc_column column = {sizeof column, NULL, NULL, 0, 0};
    status = numpact_cvc_reader_column(reader, i, &column, &error);
    print(column.compression, status, column.dimension, &error);
    const size_t values = (size_t)(rows * column.dimension);
    double* const out = calloc(values + 1, sizeof(double));
    uint64_t* const chosen = calloc((size_t)rows + 1, sizeof(uint64_t));
    if (out == NULL || chosen == NULL) exit(1);
    const numpact_dtype dtype =
        column.dtype < NUMPACT_DTYPE_INT32 ? NUMPACT_DTYPE_FLOAT32 : column.dtype;
    status = numpact_cvc_reader_read(reader, context, 0, rows, i, dtype, out, 0, &error);
    print("values", status, numpact_crc32(out, values * sizeof(double), 0), &error);
    for (uint64_t row = 0; row < rows; ++row) chosen[row] = rows - 1 - row;
    memset(out, 0, values * sizeof(double));
    status = numpact_cvc_reader_gather(reader, context, chosen, (size_t)rows, i, dtype, out, 0,
                                       &error);
    print("gathered", status, numpact_crc32(out, values * sizeof(double), 0), &error);
    free(chosen);
    free(out);
  }
  numpact_cvc_reader_destroy(reader);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* const name = strrchr(argv[i], '/');
    const size_t length = strlen(argv[i]);
    const bytes file = read_whole(argv[i]);
    numpact_context* context = NULL;
    printf("%s\n", name != NULL ? name + 1 : argv[i]);
    if (numpact_context_create(NULL, &context, NULL) != NUMPACT_OK) return 1;
    if (length > 4 && strcmp(argv[i] + length - 4, ".cvc") == 0) {
      read_vectors(context, file);
    } else {
      read_numbers(context, file);
    }
    numpact_context_destroy(context);
    free(file.data);
  }
  return 0;
}
