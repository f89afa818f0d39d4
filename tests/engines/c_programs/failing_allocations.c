/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every family of functions with memory that fails at the k-th allocation, for each k until
 * none is left: first that one alone, then all from it on. Both the caller's allocator and operator
 * new (failing_new.cpp) fail. A call that lacks memory must return NUMPACT_OUT_OF_MEMORY, keep
 * nothing, and leave its arguments usable; a call that succeeds must have the right result.
 *
 * In a library without exceptions malloc fails in place of operator new (failing_malloc.c), and
 * what it leaves out is not called: TEST_PCO_AND_READING, TEST_READING. The files then come from
 * this program with a whole library: "failing_allocations --write FILE CVC-FILE" writes them,
 * "failing_allocations FILE CVC-FILE" reads them. */
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 900, CAPACITY = 40000, ROWS = 40, DIMENSION = 6, MAX_ALLOCATIONS = 5000 };

/* ---- memory ---- */

static long allocations_left = -1; /* before the one that fails; -1: none fails */
static int keeps_failing = 0;
static int has_failed = 0;
static long live_count = 0;

int allocation_fails(void);
void allocation_made(int change);

int allocation_fails(void) {
  if (allocations_left < 0) return 0;
  if (allocations_left-- > 0) return 0;
  has_failed = 1;
  allocations_left = keeps_failing ? 0 : -1;
  return 1;
}

void allocation_made(int change) { live_count += change; }

#ifdef TEST_PCO_AND_READING

/* aligned_alloc and free count. */
static void* allocate(void* opaque, size_t size, size_t alignment) {
  (void)opaque;
  return aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

static void release(void* opaque, void* memory, size_t size, size_t alignment) {
  (void)opaque;
  (void)size;
  (void)alignment;
  free(memory);
}

#else

static void* allocate(void* opaque, size_t size, size_t alignment) {
  (void)opaque;
  if (allocation_fails()) return NULL;
  void* const memory = aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory != NULL) allocation_made(1);
  return memory;
}

static void release(void* opaque, void* memory, size_t size, size_t alignment) {
  (void)opaque;
  (void)size;
  (void)alignment;
  allocation_made(-1);
  free(memory);
}

#endif

/* ---- what the families share ---- */

static int64_t numbers[COUNT];
static int64_t decoded[COUNT];
static float vectors[ROWS * DIMENSION];
static unsigned char file[CAPACITY]; /* of `numbers`, in three chunks */
static size_t file_size;
static unsigned char cvc[CAPACITY]; /* of `vectors` */
static size_t cvc_size;
#ifndef TEST_PCO_AND_READING
static unsigned char frame[CAPACITY]; /* of `numbers` as a column of Arrow with nulls */
static size_t frame_size;
#endif
#ifndef TEST_READING
static unsigned char out[CAPACITY];
#endif
static const size_t chunk_counts[] = {300, 200, 400};
static numpact_error error;

#define TRY(call)                          \
  do {                                     \
    status = (call);                       \
    if (status != NUMPACT_OK) goto finish; \
  } while (0)

/* A wrong result ends the program. */
#define REQUIRE(condition)                                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static numpact_status make_context(numpact_context** context) {
  const numpact_allocator allocator = {sizeof allocator, NULL, allocate, release};
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.allocator = &allocator;
  return numpact_context_create(&options, context, &error);
}

#ifndef TEST_READING
static void encode_options(numpact_encode_options* options) {
  numpact_encode_options_init(options);
  options->page_counts = chunk_counts;
  options->page_count_count = 3;
}
#endif

static int is_same(const void* a, const void* b, size_t count) {
  return memcmp(a, b, count * sizeof(int64_t)) == 0;
}

/* ---- the families ---- */

static numpact_status use_context(numpact_context* context) {
  numpact_status status;
  numpact_context* other = NULL;
  (void)context;
  TRY(numpact_context_create(NULL, &other, &error));
finish:
  numpact_context_destroy(other);
  return status;
}

#ifndef TEST_READING
static numpact_status compress(numpact_context* context) {
  numpact_status status;
  size_t size = 0;
  numpact_encode_options options;
  encode_options(&options);
  options.trailer = NUMPACT_TRAILER_RESTARTS;
  options.restart_log = 8;
  TRY(numpact_compress(context, NUMPACT_I64, numbers, COUNT, &options, out, CAPACITY, &size,
                       &error));
  REQUIRE(size == file_size && memcmp(out, file, size) == 0);
  for (unsigned level = 0; level <= NUMPACT_MAX_LEVEL; level += 6) {
    numpact_encode_options_init(&options);
    options.level = level;
    TRY(numpact_compress(context, NUMPACT_I64, numbers, COUNT, &options, out, CAPACITY, &size,
                         &error));
  }
  options.mode = "int-mult=7";
  options.delta = "lookback";
  TRY(numpact_compress(NULL, NUMPACT_I64, numbers, COUNT, &options, out, CAPACITY, &size, &error));
finish:
  return status;
}

#endif

static numpact_status decompress(numpact_context* context) {
  numpact_status status;
  size_t count = 0;
  uint64_t counted = 0;
  int is_finished = 0;
  numpact_file_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
  TRY(numpact_read_info(file, file_size, &info, &error));
  TRY(numpact_count(context, file, file_size, &counted, &error));
  REQUIRE(counted == COUNT);
  TRY(numpact_decompress(context, file, file_size, NUMPACT_I64, decoded, sizeof decoded, &count,
                         &error));
  REQUIRE(count == COUNT && is_same(decoded, numbers, COUNT));
  TRY(numpact_decompress_exact(NULL, file, file_size, NUMPACT_I64, decoded, COUNT, &error));
  TRY(numpact_decompress_front(context, file, file_size, NUMPACT_I64, decoded, 350 * 8, &count,
                               &is_finished, &error));
  REQUIRE(count == 350 && !is_finished && is_same(decoded, numbers, 350));
finish:
  return status;
}

static numpact_status read_ranges(numpact_context* context) {
  numpact_status status;
  numpact_reader* reader = NULL;
  numpact_chunk_place place = {sizeof place, 0, 0, 0, 0};
  TRY(numpact_reader_create(context, file, file_size, &reader, &error));
  REQUIRE(numpact_reader_count(reader) == COUNT && numpact_reader_chunk_count(reader) == 3);
  TRY(numpact_reader_chunk(reader, 1, &place, &error));
  TRY(numpact_reader_read(reader, context, 250, NUMPACT_I64, decoded, 300, &error));
  REQUIRE(place.first == 300 && is_same(decoded, numbers + 250, 300));
finish:
  numpact_reader_destroy(reader);
  return status;
}

typedef struct cursor {
  size_t at;
} cursor;

static int read_file(void* opaque, void* to, size_t capacity, size_t* size) {
  cursor* const self = opaque;
  *size = file_size - self->at < 50 ? file_size - self->at : 50;
  if (*size > capacity) *size = capacity;
  memcpy(to, file + self->at, *size);
  self->at += *size;
  return 0;
}

#ifndef TEST_READING
static int write_out(void* opaque, const void* bytes, size_t size) {
  cursor* const self = opaque;
  if (size > CAPACITY - self->at) return -1;
  memcpy(out + self->at, bytes, size);
  self->at += size;
  return 0;
}

#endif

static numpact_status read_stream(numpact_context* context) {
  numpact_status status;
  numpact_stream_reader* reader = NULL;
  cursor place = {0};
  size_t count = 0;
  size_t total = 0;
  numpact_file_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
  TRY(numpact_stream_reader_create(context, read_file, &place, &reader, &error));
  TRY(numpact_stream_reader_info(reader, &info, &error));
  do {
    TRY(numpact_stream_reader_read(reader, NUMPACT_I64, decoded + total, 70 * 8, &count, &error));
    total += count;
  } while (count > 0 && total + 70 <= COUNT);
  REQUIRE(total > COUNT - 70 && is_same(decoded, numbers, total));
finish:
  numpact_stream_reader_destroy(reader);
  return status;
}

#ifndef TEST_READING
static numpact_status write_stream(numpact_context* context) {
  numpact_status status;
  numpact_stream_writer* writer = NULL;
  cursor place = {0};
  size_t first = 0;
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.trailer = NUMPACT_TRAILER_RESTARTS;
  options.restart_log = 8;
  TRY(numpact_stream_writer_create(context, write_out, &place, NUMPACT_I64, &options, COUNT,
                                   &writer, &error));
  for (int i = 0; i < 3; first += chunk_counts[i++]) {
    TRY(numpact_stream_writer_write(writer, numbers + first, chunk_counts[i], &error));
    TRY(numpact_stream_writer_end_chunk(writer, &error));
  }
  TRY(numpact_stream_writer_finish(writer, &error));
  REQUIRE(numpact_stream_writer_bytes(writer) == place.at);
  REQUIRE(numpact_decompress_exact(NULL, out, place.at, NUMPACT_I64, decoded, COUNT, NULL) ==
              NUMPACT_OK ||
          has_failed);
finish:
  numpact_stream_writer_destroy(writer);
  return status;
}

#endif

static numpact_status use_trailer(numpact_context* context) {
  numpact_status status;
  numpact_trailer* trailer = NULL;
  numpact_chunk_summary summary = {sizeof summary, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  numpact_verification verification = {sizeof verification, 0, 0, 0, 0, 0, 0, 0};
  size_t found[3];
  size_t count = 0;
  TRY(numpact_trailer_read(file, file_size, &trailer, &error));
  REQUIRE(trailer != NULL && numpact_trailer_count(trailer) == COUNT);
  TRY(numpact_trailer_chunk(trailer, 2, &summary, &error));
  TRY(numpact_trailer_find(trailer, &numbers[350], &numbers[350], found, 3, &count, &error));
  REQUIRE(count >= 1);
#ifndef TEST_READING
  size_t size = 0;
  uint64_t end = 0;
  TRY(numpact_trailer_make(context, file, file_size, NUMPACT_TRAILER_RESTARTS, 8, out, CAPACITY,
                           &size, &end, &error));
  REQUIRE(end == numpact_trailer_file_size(trailer));
#endif
  TRY(numpact_verify(context, file, file_size, &verification, &error));
  REQUIRE(verification.is_sound == 1);
finish:
  numpact_trailer_destroy(trailer);
  return status;
}

/* The second chunk of the file as a wrapped one. */
static numpact_status read_page(numpact_context* context) {
  enum { CHUNK_HEAD = 4 };
  numpact_status status;
  numpact_reader* reader = NULL;
  numpact_chunk_decoder* decoder = NULL;
  numpact_page_reader* page = NULL;
  numpact_chunk_place place = {sizeof place, 0, 0, 0, 0};
  numpact_chunk_info info;
  char text[256];
  size_t size = 0;
  size_t count = 0;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  TRY(numpact_reader_create(context, file, file_size, &reader, &error));
  TRY(numpact_reader_chunk(reader, 1, &place, &error));
  const unsigned char* const meta = file + place.offset + CHUNK_HEAD;
  const unsigned char* const bytes = file + place.page_offset;
  const size_t bytes_size = file_size - (size_t)place.page_offset;
  TRY(numpact_chunk_decoder_create(context, meta, file_size, NUMPACT_I64, 4, 1, &decoder, &error));
  TRY(numpact_chunk_decoder_info(decoder, &info, &error));
  TRY(numpact_chunk_decoder_describe(decoder, text, sizeof text, &size, &error));
  REQUIRE(info.type == NUMPACT_I64 && size > 0);
  TRY(numpact_chunk_decoder_read_page(decoder, context, bytes, bytes_size, chunk_counts[1], decoded,
                                      sizeof decoded, &size, &error));
  REQUIRE(is_same(decoded, numbers + 300, chunk_counts[1]));
  const numpact_page_input input = {bytes, size, chunk_counts[1]};
  TRY(numpact_chunk_decoder_read_pages(decoder, context, &input, 1, decoded, sizeof decoded,
                                       &error));
  REQUIRE(is_same(decoded, numbers + 300, chunk_counts[1]));
  TRY(numpact_page_reader_create(context, decoder, &page, &error));
  TRY(numpact_page_reader_start(page, bytes, bytes_size, chunk_counts[1], NULL, 0, &error));
  TRY(numpact_page_reader_skip(page, 100, &error));
  TRY(numpact_page_reader_read(page, decoded, sizeof decoded, &count, &error));
  REQUIRE(count == 100 && is_same(decoded, numbers + 400, count));
finish:
  numpact_page_reader_destroy(page);
  numpact_chunk_decoder_destroy(decoder);
  numpact_reader_destroy(reader);
  return status;
}

#ifndef TEST_READING
static numpact_status use_pages(numpact_context* context) {
  numpact_status status;
  numpact_chunk_encoder* encoder = NULL;
  numpact_chunk_decoder* decoder = NULL;
  size_t size = 0;
  size_t first = 0;
  unsigned major = 0;
  unsigned minor = 0;
  numpact_encode_options options;
  encode_options(&options);
  TRY(numpact_write_wrapped_header(NUMPACT_FORMAT_4_1, out, CAPACITY, &size, &error));
  TRY(numpact_read_wrapped_header(out, size, &major, &minor, &size, &error));
  TRY(numpact_chunk_encoder_create(context, NUMPACT_I64, numbers, COUNT, &options, &encoder,
                                   &error));
  TRY(numpact_chunk_encoder_write_meta(encoder, out, CAPACITY, &size, &error));
  TRY(numpact_chunk_decoder_create(context, out, size, NUMPACT_I64, major, minor, &decoder,
                                   &error));
  REQUIRE(numpact_chunk_encoder_page_count(encoder) == 3);
  for (size_t page = 0; page < 3; first += chunk_counts[page++]) {
    TRY(numpact_chunk_encoder_write_page(encoder, page, out, CAPACITY, &size, &error));
    TRY(numpact_chunk_decoder_read_page(decoder, context, out, size, chunk_counts[page], decoded,
                                        sizeof decoded, &size, &error));
    REQUIRE(is_same(decoded, numbers + first, chunk_counts[page]));
  }
finish:
  numpact_chunk_decoder_destroy(decoder);
  numpact_chunk_encoder_destroy(encoder);
  return status;
}

#endif

#ifndef TEST_PCO_AND_READING
static numpact_status write_vectors(numpact_context* context) {
  static const char* const compressions[] = {"fp16", "int8_dim", "pco"};
  numpact_status status;
  numpact_cvc_writer* writer = NULL;
  const void* bytes = NULL;
  size_t size = 0;
  for (int i = 0; i < 3; ++i) {
    numpact_cvc_options options;
    numpact_cvc_options_init(&options);
    options.compression = compressions[i];
    options.chunk_rows = 16;
    options.dimension = DIMENSION;
    TRY(numpact_cvc_writer_create(context, &options, &writer, &error));
    TRY(numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32, vectors, ROWS, &error));
    TRY(numpact_cvc_writer_finish(writer, &bytes, &size, &error));
    REQUIRE(size <= CAPACITY && (cvc_size == 0 || i < 2 || size == cvc_size));
    memcpy(out, bytes, size);
    numpact_cvc_writer_destroy(writer);
    writer = NULL;
  }
finish:
  numpact_cvc_writer_destroy(writer);
  return status;
}

#endif

static numpact_status read_vectors(numpact_context* context) {
  numpact_status status;
  numpact_cvc_reader* reader = NULL;
  numpact_cvc_column column = {sizeof column, NULL, NULL, 0, 0};
  static float rows[ROWS * DIMENSION];
  const uint64_t chosen[] = {30, 0, 30};
  TRY(numpact_cvc_reader_create(context, cvc, cvc_size, &reader, &error));
  REQUIRE(numpact_cvc_reader_rows(reader) == ROWS);
  TRY(numpact_cvc_reader_column(reader, 0, &column, &error));
  TRY(numpact_cvc_reader_read(reader, context, 3, 30, 0, NUMPACT_DTYPE_FLOAT32, rows, 0, &error));
  REQUIRE(memcmp(rows, vectors + 3 * DIMENSION, 30 * DIMENSION * sizeof *rows) == 0);
  TRY(numpact_cvc_reader_gather(reader, context, chosen, 3, 0, NUMPACT_DTYPE_FLOAT32, rows, 0,
                                &error));
  REQUIRE(memcmp(rows, vectors + 30 * DIMENSION, DIMENSION * sizeof *rows) == 0);
finish:
  numpact_cvc_reader_destroy(reader);
  return status;
}

#ifndef TEST_PCO_AND_READING
static void keep_schema(struct ArrowSchema* schema) { schema->release = NULL; }
static void keep_array(struct ArrowArray* array) { array->release = NULL; }
static unsigned char validity[(COUNT + 7) / 8];

static numpact_status compress_column(numpact_context* context) {
  numpact_status status;
  const void* buffers[] = {validity, numbers};
  size_t size = 0;
  struct ArrowSchema schema;
  struct ArrowArray array;
  memset(&schema, 0, sizeof schema);
  memset(&array, 0, sizeof array);
  schema.format = "l";
  schema.release = keep_schema;
  array.length = COUNT;
  array.null_count = -1;
  array.n_buffers = 2;
  array.buffers = buffers;
  array.release = keep_array;
  TRY(numpact_compress_arrow(context, &schema, &array, NULL, out, CAPACITY, &size, &error));
  REQUIRE(frame_size == 0 || (size == frame_size && memcmp(out, frame, size) == 0));
  frame_size = size;
  memcpy(frame, out, size);
finish:
  return status;
}

static numpact_status decompress_column(numpact_context* context) {
  numpact_status status;
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  TRY(numpact_decompress_arrow(context, frame, frame_size, &schema, &array, &error));
  REQUIRE(array.length == COUNT && memcmp(array.buffers[0], validity, COUNT / 8) == 0);
finish:
  if (array.release != NULL) array.release(&array);
  if (schema.release != NULL) schema.release(&schema);
  return status;
}

#endif

/* ---- the search ---- */

typedef numpact_status (*family)(numpact_context* context);

/* Without exceptions a thread keeps a reserve from call to call. */
static void hold_reserve(void) {
  numpact_context* context = NULL;
  numpact_context_create(NULL, &context, NULL);
  numpact_context_destroy(context);
}

/* The status of a family's calls, of which the k-th allocation fails. */
static numpact_status run_failing(family calls, long k) {
  numpact_context* context = NULL;
  hold_reserve();
  const long live_before = live_count;
  has_failed = 0;
  allocations_left = k;
  numpact_status status = make_context(&context);
  if (status == NUMPACT_OK) status = calls(context);
  allocations_left = -1;
  const int is_described = status == error.status && error.text != NULL;
  if (status == NUMPACT_OUT_OF_MEMORY && context != NULL) {
    /* The context is as good as before. */
    const int had_failed = has_failed;
    REQUIRE(calls(context) == NUMPACT_OK);
    has_failed = had_failed;
  }
  numpact_context_destroy(context);
  hold_reserve();
  REQUIRE(is_described);
  REQUIRE(live_count == live_before);
  return status;
}

static void search(const char* name, family calls) {
  int errors = 0;
  int survived = 0;
  for (keeps_failing = 0; keeps_failing < 2; ++keeps_failing) {
    for (long k = 0;; ++k) {
      REQUIRE(k < MAX_ALLOCATIONS);
      const numpact_status status = run_failing(calls, k);
      if (!has_failed) {
        REQUIRE(status == NUMPACT_OK && k > 0);
        break;
      }
      REQUIRE(status == NUMPACT_OK || status == NUMPACT_OUT_OF_MEMORY);
      if (status == NUMPACT_OK) {
        ++survived;
      } else {
        ++errors;
        REQUIRE(strcmp(numpact_status_name(status), "out of memory") == 0);
      }
    }
  }
  printf("%s: %d errors, %d results without the memory\n", name, errors, survived);
  REQUIRE(errors > 0);
}

static void make_numbers(void) {
  for (int i = 0; i < COUNT; ++i) numbers[i] = 7 * (i * 13 % 50 + i) + (i % 300 == 0);
  for (int i = 0; i < ROWS * DIMENSION; ++i) vectors[i] = 0.25f * (float)(i * 31 % 200);
}

#ifdef TEST_PCO_AND_READING

static size_t read_whole(const char* path, unsigned char* to) {
  FILE* const from = fopen(path, "rb");
  REQUIRE(from != NULL);
  const size_t size = fread(to, 1, CAPACITY, from);
  fclose(from);
  return size;
}

#else

static void write_whole(const char* path, const unsigned char* from, size_t size) {
  FILE* const to = fopen(path, "wb");
  REQUIRE(to != NULL && fwrite(from, 1, size, to) == size);
  fclose(to);
}

static void make_files(void) {
  numpact_encode_options options;
  numpact_cvc_writer* writer = NULL;
  const void* bytes = NULL;
  numpact_cvc_options cvc_options;
  for (size_t i = 0; i < sizeof validity; ++i) validity[i] = (unsigned char)(i * 37 + 5);
  encode_options(&options);
  options.trailer = NUMPACT_TRAILER_RESTARTS;
  options.restart_log = 8;
  REQUIRE(numpact_compress(NULL, NUMPACT_I64, numbers, COUNT, &options, file, CAPACITY, &file_size,
                           NULL) == NUMPACT_OK);
  numpact_cvc_options_init(&cvc_options);
  cvc_options.compression = "pco";
  cvc_options.chunk_rows = 16;
  cvc_options.dimension = DIMENSION;
  REQUIRE(numpact_cvc_writer_create(NULL, &cvc_options, &writer, NULL) == NUMPACT_OK);
  REQUIRE(numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32, vectors, ROWS, NULL) ==
          NUMPACT_OK);
  REQUIRE(numpact_cvc_writer_finish(writer, &bytes, &cvc_size, NULL) == NUMPACT_OK);
  REQUIRE(cvc_size <= CAPACITY);
  memcpy(cvc, bytes, cvc_size);
  numpact_cvc_writer_destroy(writer);
}

#endif

#ifdef TEST_PCO_AND_READING
/* The first call of a thread makes its reserve, which may fail, too. */
static void fail_first(void) {
  uint64_t count = 0;
  allocations_left = 0;
  const numpact_status status = numpact_count(NULL, file, file_size, &count, &error);
  allocations_left = -1;
  REQUIRE(status == NUMPACT_OUT_OF_MEMORY && has_failed);
}

size_t numpact_max_drawn_bytes(void);
#endif

int main(int argc, char** argv) {
  numpact_error_init(&error);
  make_numbers();
#ifdef TEST_PCO_AND_READING
  REQUIRE(argc == 3);
  file_size = read_whole(argv[1], file);
  cvc_size = read_whole(argv[2], cvc);
  fail_first();
#else
  make_files();
  if (argc == 4 && strcmp(argv[1], "--write") == 0) {
    write_whole(argv[2], file, file_size);
    write_whole(argv[3], cvc, cvc_size);
    return 0;
  }
#endif
  search("context", use_context);
  search("decompress", decompress);
  search("reader", read_ranges);
  search("stream reader", read_stream);
  search("trailer", use_trailer);
  search("page", read_page);
  search("CVC reader", read_vectors);
#ifndef TEST_READING
  search("compress", compress);
  search("stream writer", write_stream);
  search("wrapped", use_pages);
#endif
#ifndef TEST_PCO_AND_READING
  search("CVC writer", write_vectors);
  search("compress Arrow", compress_column);
  search("decompress Arrow", decompress_column);
#else
  printf("%zu bytes drawn at most\n", numpact_max_drawn_bytes());
#endif
  puts("done");
  return 0;
}
