/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of numpact, for C99 and C++, and for languages that call C.
 *
 * Memory: `size` and `capacity` are bytes, `count` is a number of numbers. Numbers and files may
 * have any alignment. A null pointer is allowed where the size or count is 0. Nothing is kept of
 * the memory passed to a function, unless its comment says so.
 *
 * Errors: functions return a status, NUMPACT_OK or one of the errors below, and describe an error
 * in the caller's numpact_error, if one is passed. Outputs are unspecified after an error unless
 * documented otherwise. No function throws, sets errno, reads the locale or the environment, or
 * starts threads.
 *
 * Threads: a context, a page reader, a stream reader and a writer serve one thread at a time, and
 * one call: within the caller's functions that a call runs (progress, source, sink, allocator,
 * executor), using the context or the object of that call is NUMPACT_INVALID_ARGUMENT, and
 * destroying it takes effect when the call returns. Other contexts, and null, may be used there.
 * Objects that are called immutable below may be shared, and live while a call uses them. Functions
 * without an object may be called concurrently, except numpact_set_cpu_target.
 *
 * Structs begin with their size, but for the elements of arrays. The functions named
 * numpact_..._init set it with all defaults; a later version that adds fields accepts the smaller
 * struct of a program built before. A size that is not set, or that ends within a field, is
 * NUMPACT_INVALID_ARGUMENT; an error whose size is not set counts as none. */
#ifndef NUMPACT_NUMPACT_H
#define NUMPACT_NUMPACT_H

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C. */
#include <stddef.h>
#include <stdint.h>

#if !defined(NUMPACT_C_API) && defined(NUMPACT_SHARED) && defined(_WIN32)
#define NUMPACT_C_API __declspec(dllimport)
#elif !defined(NUMPACT_C_API) && defined(NUMPACT_SHARED) && defined(__GNUC__)
#define NUMPACT_C_API __attribute__((visibility("default")))
#elif !defined(NUMPACT_C_API)
#define NUMPACT_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

typedef int32_t numpact_status;

/* The values are stable. */
enum {
  NUMPACT_OK = 0,
  NUMPACT_INVALID_ARGUMENT = 10,    /* arguments contradict each other or the documentation */
  NUMPACT_TYPE_MISMATCH = 11,       /* the numbers have another type than requested */
  NUMPACT_DOES_NOT_FIT = 12,        /* the output is too small for the result */
  NUMPACT_CORRUPT = 20,             /* the bytes violate the format */
  NUMPACT_TRUNCATED = 21,           /* the bytes end early */
  NUMPACT_UNSUPPORTED_VERSION = 22, /* the format version is not supported */
  NUMPACT_CHECKSUM = 23,            /* a stored checksum does not match */
  NUMPACT_LIMIT_EXCEEDED = 30,      /* decoding would exceed a limit of the context */
  NUMPACT_OUT_OF_MEMORY = 31,       /* an allocation failed */
  NUMPACT_IO = 40,                  /* the caller's source or sink failed */
  NUMPACT_TIMED_OUT = 41,           /* waiting for another writer of a file took too long */
  NUMPACT_CANCELLED = 50            /* the progress function stopped the call */
};

#define NUMPACT_UNKNOWN UINT64_MAX /* for 64-bit fields of the structs below */

typedef struct numpact_error {
  size_t struct_size;    /* sizeof(numpact_error), set by the caller */
  numpact_status status; /* NUMPACT_OK if the call succeeded */
  int32_t system_error;  /* NUMPACT_IO: errno, as the source or sink reported it; else 0 */
  const char* text;      /* static, never null */
  uint64_t offset;       /* bytes from the start of the input; or NUMPACT_UNKNOWN */
  uint64_t chunk;        /* index of the chunk; or NUMPACT_UNKNOWN */
  uint64_t needed;       /* NUMPACT_DOES_NOT_FIT: bytes that suffice; or NUMPACT_UNKNOWN */
  uint64_t good_count;   /* correct numbers at the start of the output despite the error */
} numpact_error;

NUMPACT_C_API void numpact_error_init(numpact_error* error);
/* The name of a status, e.g. "corrupt"; a static string. */
NUMPACT_C_API const char* numpact_status_name(numpact_status status);

/* ---- version and processor ---- */

/* The version of the library, e.g. "0.1.0"; a static string; and as a number, 10000 * major +
 * 100 * minor + patch. */
NUMPACT_C_API const char* numpact_version(void);
NUMPACT_C_API uint32_t numpact_version_number(void);

/* The instruction set in use, e.g. "avx2"; a static string. */
NUMPACT_C_API const char* numpact_cpu_target(void);
/* Uses another one for all later calls of the process; "auto": the best. For tests, benchmarks, and
 * programs that let their users choose; must not run concurrently with itself.
 * NUMPACT_INVALID_ARGUMENT, without effect: it is not compiled in, or the processor lacks it. */
NUMPACT_C_API numpact_status numpact_set_cpu_target(const char* name, numpact_error* error);

/* ---- numbers ---- */

/* The value is the type's byte in a file. F16 is the 16 bits of an IEEE binary16 number. */
typedef uint8_t numpact_type;
enum {
  NUMPACT_NO_TYPE = 0, /* only in results: the file has no chunk and states no type */
  NUMPACT_U32 = 1,
  NUMPACT_U64 = 2,
  NUMPACT_I32 = 3,
  NUMPACT_I64 = 4,
  NUMPACT_F32 = 5,
  NUMPACT_F64 = 6,
  NUMPACT_U16 = 7,
  NUMPACT_I16 = 8,
  NUMPACT_F16 = 9,
  NUMPACT_U8 = 10,
  NUMPACT_I8 = 11
};

/* Bytes of a number: 1, 2, 4 or 8; 0 for any other value. */
NUMPACT_C_API size_t numpact_type_size(numpact_type type);

/* ---- contexts ---- */

/* The caller's memory for a context. `alignment` is a power of two, at most 64. */
typedef struct numpact_allocator {
  size_t struct_size;
  void* opaque;
  void* (*allocate)(void* opaque, size_t size, size_t alignment); /* null: there is none left */
  void (*release)(void* opaque, void* memory, size_t size, size_t alignment);
} numpact_allocator;

typedef void (*numpact_task)(void* argument, size_t index);

/* The caller's threads. `run` calls task(argument, index) once for each index below task_count, in
 * any order and on any threads, and returns when all have returned. A task never waits for one that
 * has not started. The functions may be called concurrently by contexts that share the executor. */
typedef struct numpact_executor {
  size_t struct_size;
  void* opaque;
  unsigned concurrency; /* how many tasks may run at once, with the calling thread */
  void (*run)(void* opaque, size_t task_count, numpact_task task, void* argument);
} numpact_executor;

/* Called on the calling thread, with the numbers and compressed bytes so far: after each chunk when
 * encoding, after at most a few hundred thousand numbers when decoding. 0 stops the call with
 * NUMPACT_CANCELLED. */
typedef int (*numpact_progress)(void* opaque, uint64_t numbers, uint64_t bytes);

typedef struct numpact_context_options {
  size_t struct_size;
  const numpact_allocator* allocator; /* null: malloc; is copied */
  const numpact_executor* executor;   /* null: all work is done on the calling thread; is copied */
  numpact_progress progress;          /* null: none */
  void* progress_opaque;
  /* Bounds on what decoding may produce and use; NUMPACT_UNKNOWN: none. */
  uint64_t max_numbers;
  uint64_t max_output_bytes;
  uint64_t max_memory; /* scratch memory, in bytes; excludes the output */
} numpact_context_options;

NUMPACT_C_API void numpact_context_options_init(numpact_context_options* options);

/* Scratch memory and hooks for calls. Once warm, a call of the same shape allocates nothing. Where
 * a function takes a context, null means a temporary one with default options. Objects made with a
 * context are allocated by its allocator, which must work until they are destroyed; the context may
 * be destroyed before, but for streams and writers of vectors, which use it. */
typedef struct numpact_context numpact_context;

/* `options`: null for defaults. Errors: NUMPACT_OUT_OF_MEMORY, NUMPACT_INVALID_ARGUMENT. */
NUMPACT_C_API numpact_status numpact_context_create(const numpact_context_options* options,
                                                    numpact_context** context,
                                                    numpact_error* error);
/* Null is allowed. */
NUMPACT_C_API void numpact_context_destroy(numpact_context* context);

/* ---- compression ---- */

enum { NUMPACT_DEFAULT_LEVEL = 8, NUMPACT_MAX_LEVEL = 12 };

/* The oldest format whose readers must be able to read the output. */
enum {
  NUMPACT_FORMAT_1 = 0,
  NUMPACT_FORMAT_2 = 1,
  NUMPACT_FORMAT_3 = 2,
  NUMPACT_FORMAT_4_0 = 3,
  NUMPACT_FORMAT_4_1 = 4
};

enum {
  NUMPACT_TRAILER_NONE = 0,
  NUMPACT_TRAILER_INDEX = 1,   /* offset, count, range and checksum of each chunk */
  NUMPACT_TRAILER_RESTARTS = 2 /* also points where decoding can start within a chunk */
};

typedef struct numpact_recipe numpact_recipe; /* see below */

typedef struct numpact_encode_options {
  size_t struct_size;
  unsigned level;    /* 0 (fastest) to 12 (smallest) */
  int32_t format;    /* NUMPACT_FORMAT_... */
  const char* mode;  /* "auto", "classic", "float-mult=0.01", ...; null: auto */
  const char* delta; /* "auto", "none", "consecutive=2", ...; null: auto */
  /* Numbers per chunk of a file, or per page of a wrapped chunk: at most max_page_count each; 0:
   * chosen by the encoder. Or exactly the `page_counts`, whose sum is the count of numbers. */
  size_t max_page_count;
  const size_t* page_counts;
  size_t page_count_count;
  int favor_decode_speed; /* 1: a decode_weight of at least 1 */
  /* Files only. */
  int32_t trailer;      /* NUMPACT_TRAILER_... */
  unsigned restart_log; /* NUMPACT_TRAILER_RESTARTS: log2 of the distance, 8 to 24 */
  /* Instead of mode and delta, which are then null. Must outlive the call, and a stream writer. */
  const numpact_recipe* recipe;
  /* 0: any. A file or chunk of more bytes is of no use: NUMPACT_DOES_NOT_FIT as soon as estimates
   * say so, which may give up one that would just fit. */
  uint64_t max_size;
  /* Bits per number that a nanosecond is worth that decoding it takes longer: 0 (only the size
   * counts) to 128 (chunks of one bin, without a delta). */
  double decode_weight;
} numpact_encode_options;

NUMPACT_C_API void numpact_encode_options_init(numpact_encode_options* options);

/* Maximum bytes of `count` numbers compressed with the options (null: defaults), to size outputs.
 * Never fails: options that compression refuses count as defaults. Saturates at SIZE_MAX. */
NUMPACT_C_API size_t numpact_compress_bound(numpact_type type, size_t count,
                                            const numpact_encode_options* options);

/* Compresses numbers to a standalone file in the caller's memory. The capacity may be smaller than
 * the bound, for example the size of the numbers: NUMPACT_DOES_NOT_FIT means that the file is
 * larger. Other errors: NUMPACT_INVALID_ARGUMENT, NUMPACT_OUT_OF_MEMORY, NUMPACT_CANCELLED. */
NUMPACT_C_API numpact_status numpact_compress(numpact_context* context, numpact_type type,
                                              const void* numbers, size_t count,
                                              const numpact_encode_options* options, void* out,
                                              size_t capacity, size_t* size, numpact_error* error);

/* The size of a compressed array without encoding it. */
typedef struct numpact_estimate {
  size_t struct_size;
  uint64_t size;       /* expected bytes of the file that numpact_compress would make */
  uint64_t error;      /* nine files of ten are within size plus or minus this: not a bound */
  int32_t mode;        /* NUMPACT_MODE_..., chosen for all numbers; parts may have others */
  int32_t delta;       /* NUMPACT_DELTA_... */
  char mode_text[48];  /* e.g. "float-mult=0.01" */
  char delta_text[48]; /* e.g. "consecutive=1" */
} numpact_estimate;

/* Estimates from samples, at most 2^16 numbers, in a small part of the time of numpact_compress for
 * many numbers. The same numbers and options always give the same estimate. Recipe, max_size and
 * executor are ignored; so are Lookback and Conv1 if the options request one of them. Files of
 * levels 0 and 1 are larger than estimated. NUMPACT_INVALID_ARGUMENT, NUMPACT_OUT_OF_MEMORY. */
NUMPACT_C_API numpact_status numpact_estimate_size(numpact_context* context, numpact_type type,
                                                   const void* numbers, size_t count,
                                                   const numpact_encode_options* options,
                                                   numpact_estimate* estimate,
                                                   numpact_error* error);

/* ---- rounding ---- */

enum {
  NUMPACT_ROUND_MAX_ERROR = 0, /* no number changes by more than max_error, an absolute error */
  NUMPACT_ROUND_KEEP_BITS = 1, /* floats alone: keeps `digits` bits of the mantissa */
  NUMPACT_ROUND_DECIMALS = 2   /* the number nearest to the decimal of `digits` */
};

typedef struct numpact_rounding {
  size_t struct_size;
  int32_t kind;     /* NUMPACT_ROUND_... */
  int32_t digits;   /* bits or decimals, these -22 to 22 */
  double max_error; /* NUMPACT_ROUND_MAX_ERROR */
  const void* fill; /* a number of the type that stands for a missing one; null: none */
} numpact_rounding;

/* NUMPACT_ROUND_MAX_ERROR of 0, which changes nothing. */
NUMPACT_C_API void numpact_rounding_init(numpact_rounding* rounding);

typedef struct numpact_rounding_report {
  size_t struct_size;
  uint64_t count;   /* numbers */
  uint64_t changed; /* that are other numbers now */
  uint64_t kept;    /* that stay, since the rounded one would be beyond the bound, the fill value,
                     * or too large for the type */
  double max_error; /* the largest absolute error, exactly */
  double step;      /* numbers that changed are multiples of it; 0: of nothing */
} numpact_rounding_report;

/* Rounds numbers so that they compress better; numpact_compress then stores them exactly. NaN,
 * infinities, zeros and the fill value keep their bits, and no number becomes the fill value.
 * With NUMPACT_ROUND_MAX_ERROR numbers become multiples of the step that compresses best with the
 * options (null: defaults), or stay if none saves anything. `out` has space for `count` numbers; it
 * is `numbers`, or apart from them. `report` may be null. Errors: NUMPACT_INVALID_ARGUMENT;
 * NUMPACT_TYPE_MISMATCH: bits of integers; NUMPACT_OUT_OF_MEMORY. */
NUMPACT_C_API numpact_status numpact_round(numpact_type type, const void* numbers, size_t count,
                                           const numpact_rounding* rounding,
                                           const numpact_encode_options* options, void* out,
                                           numpact_rounding_report* report, numpact_error* error);

/* ---- recipes ---- */

/* A mode and a delta encoding with all parameters, chosen once for many series of numbers like a
 * sample; encoding with one searches nothing. Numbers that it does not suit take at most the bytes
 * of plain numbers. Immutable; threads may share it. */

/* Chooses what makes the series in the sample smallest. max_page_count or page_counts of the
 * options divide the sample into series. Takes as long as encoding some of them (at most 16)
 * several times. */
NUMPACT_C_API numpact_status numpact_recipe_create(numpact_context* context, numpact_type type,
                                                   const void* sample, size_t count,
                                                   const numpact_encode_options* options,
                                                   numpact_recipe** recipe, numpact_error* error);
/* From its text, also in another process. NUMPACT_INVALID_ARGUMENT: it is none. */
NUMPACT_C_API numpact_status numpact_recipe_parse(numpact_context* context, const char* text,
                                                  numpact_recipe** recipe, numpact_error* error);
NUMPACT_C_API void numpact_recipe_destroy(numpact_recipe* recipe);
NUMPACT_C_API numpact_type numpact_recipe_type(const numpact_recipe* recipe);
/* E.g. "f64 float-mult=0.01 consecutive=1"; valid while the recipe lives. */
NUMPACT_C_API const char* numpact_recipe_text(const numpact_recipe* recipe);

/* ---- decompression ---- */

typedef struct numpact_file_info {
  size_t struct_size;
  numpact_type type; /* NUMPACT_NO_TYPE: an empty file without a type */
  uint8_t standalone_version;
  uint8_t format_major;
  uint8_t format_minor;
  size_t header_size;  /* bytes before the first chunk */
  uint64_t count_hint; /* as the writer stated it; untrusted; 0: unknown */
} numpact_file_info;

/* Reads the header and the first chunk's type; decodes nothing. */
NUMPACT_C_API numpact_status numpact_read_info(const void* file, size_t size,
                                               numpact_file_info* info, numpact_error* error);

/* Counts the numbers of the chunks without decoding them, at about half the cost of decoding. What
 * a trailer claims is not believed, so that the count can size memory. */
NUMPACT_C_API numpact_status numpact_count(numpact_context* context, const void* file, size_t size,
                                           uint64_t* count, numpact_error* error);

/* Decodes a file of numbers of the given type; `count` (null is allowed) is set to their number.
 * NUMPACT_TYPE_MISMATCH: the file has another type. NUMPACT_DOES_NOT_FIT: it holds more numbers
 * than fit. After an error the first good_count numbers of the output are those of the file.
 * An intact trailer is compared: NUMPACT_CHECKSUM for a chunk that is damaged, NUMPACT_CORRUPT if
 * counts, type or places of chunks are not those of the file. An empty file without a type matches
 * every type. */
NUMPACT_C_API numpact_status numpact_decompress(numpact_context* context, const void* file,
                                                size_t size, numpact_type type, void* out,
                                                size_t capacity, size_t* count,
                                                numpact_error* error);
/* The same for a file that must hold exactly `count` numbers: NUMPACT_DOES_NOT_FIT if there are
 * more, NUMPACT_CORRUPT if there are fewer. */
NUMPACT_C_API numpact_status numpact_decompress_exact(numpact_context* context, const void* file,
                                                      size_t size, numpact_type type, void* out,
                                                      size_t count, numpact_error* error);
/* Decodes the numbers at the front of a file, as many as fit. `is_finished` (null is allowed) is
 * set to 1 if the whole file was read, else 0. */
NUMPACT_C_API numpact_status numpact_decompress_front(numpact_context* context, const void* file,
                                                      size_t size, numpact_type type, void* out,
                                                      size_t capacity, size_t* count,
                                                      int* is_finished, numpact_error* error);

enum {
  NUMPACT_TRAILER_ABSENT = 0,      /* nothing follows the file */
  NUMPACT_TRAILER_SOUND = 1,       /* it matches the file, but for damaged chunks */
  NUMPACT_TRAILER_DAMAGED = 2,     /* it is damaged or contradicts the file */
  NUMPACT_TRAILER_UNRECOGNIZED = 3 /* other bytes follow the file */
};

/* The end of a file, and what follows it there. Everything that takes numbers from a file stops at
 * its end: of files that were joined (cat a.pco b.pco) the first one is read. */
typedef struct numpact_file_end {
  size_t struct_size;
  int32_t trailer;         /* NUMPACT_TRAILER_..., by its own checksums */
  int32_t is_unfinished;   /* 1: it is damaged since its writer was stopped before its last write */
  uint64_t file_size;      /* bytes up to and including the terminator; 0: not known */
  uint64_t foreign_offset; /* where bytes begin that are neither of the file nor of its trailer */
  const char* warning;     /* a sentence to warn by, static; null: there is nothing to warn of */
} numpact_file_end;

/* The end of the file that the last call with the context has read to its end, or whose end it has
 * found, such as numpact_decompress, numpact_count, numpact_count_where and numpact_reader_create.
 * After other calls, and after errors, file_size is 0. Costs nothing. */
NUMPACT_C_API numpact_status numpact_context_file_end(const numpact_context* context,
                                                      numpact_file_end* end, numpact_error* error);

/* ---- ranges of values ---- */

/* A range holds the numbers from *min to *max, both included, of the file's type and compared by
 * value: NaN is in no range, and -0.0 equals 0.0. It is empty if a bound is NaN or the bounds are
 * in the wrong order. */

/* Counts the numbers of a file that are in the range. The ranges of chunks in a trailer,
 * dictionaries and bins decide about whole chunks; only the others are decoded. Checksums of chunks
 * that are read are compared. NUMPACT_TYPE_MISMATCH: the file has another type. */
NUMPACT_C_API numpact_status numpact_count_where(numpact_context* context, const void* file,
                                                 size_t size, numpact_type type, const void* min,
                                                 const void* max, uint64_t* count,
                                                 numpact_error* error);
/* Sets `found` to 1 if there is such a number, else 0; stops at the first one. */
NUMPACT_C_API numpact_status numpact_exists(numpact_context* context, const void* file, size_t size,
                                            numpact_type type, const void* min, const void* max,
                                            int* found, numpact_error* error);

/* The CRC-32 of zlib, as trailers and summaries have it. `before`: that of the bytes before, or 0.
 */
NUMPACT_C_API uint32_t numpact_crc32(const void* bytes, size_t size, uint32_t before);

/* ---- random access ---- */

/* A file in memory, with the positions of its chunks. Immutable: threads may share a reader, each
 * with a context of its own. */
typedef struct numpact_reader numpact_reader;

/* `file` must outlive the reader and not change. Takes the positions from an intact trailer;
 * without one it walks the file, at about half the cost of decoding. */
NUMPACT_C_API numpact_status numpact_reader_create(numpact_context* context, const void* file,
                                                   size_t size, numpact_reader** reader,
                                                   numpact_error* error);
NUMPACT_C_API void numpact_reader_destroy(numpact_reader* reader);
NUMPACT_C_API numpact_type numpact_reader_type(const numpact_reader* reader);
NUMPACT_C_API uint64_t numpact_reader_count(const numpact_reader* reader);
/* The end of the reader's file. */
NUMPACT_C_API numpact_status numpact_reader_file_end(const numpact_reader* reader,
                                                     numpact_file_end* end, numpact_error* error);
/* Decodes the numbers first to first + count - 1; touches only their chunks. */
NUMPACT_C_API numpact_status numpact_reader_read(const numpact_reader* reader,
                                                 numpact_context* context, uint64_t first,
                                                 numpact_type type, void* out, size_t count,
                                                 numpact_error* error);

typedef struct numpact_chunk_place {
  size_t struct_size;
  uint64_t offset;      /* of the chunk in the file */
  uint64_t page_offset; /* of its page, behind the metadata */
  uint64_t first;       /* numbers before it */
  uint64_t count;       /* its numbers */
} numpact_chunk_place;

NUMPACT_C_API size_t numpact_reader_chunk_count(const numpact_reader* reader);
/* NUMPACT_INVALID_ARGUMENT: there is no such chunk. */
NUMPACT_C_API numpact_status numpact_reader_chunk(const numpact_reader* reader, size_t index,
                                                  numpact_chunk_place* place, numpact_error* error);

/* ---- trailers ---- */

/* The record of a chunk in a trailer. */
typedef struct numpact_chunk_summary {
  size_t struct_size;
  uint64_t offset;         /* of the chunk in the file */
  uint64_t size;           /* bytes of the chunk */
  uint64_t first;          /* numbers before it */
  uint64_t count;          /* its numbers */
  uint64_t nan_count;      /* NaNs among them */
  uint64_t restart_points; /* where decoding can start within the chunk */
  uint32_t crc;            /* CRC-32 of its bytes */
  int32_t has_range;       /* 0: all numbers are NaN, min and max are unspecified */
  /* The range of the numbers that are not NaN: the bits of a number of the file's type, in the low
   * bytes of the value. */
  uint64_t min_bits;
  uint64_t max_bits;
} numpact_chunk_summary;

/* A trailer, read and checked by its own checksum. Immutable; threads may share it. Keeps nothing
 * of the file's memory. */
typedef struct numpact_trailer numpact_trailer;

/* Reads the trailer at the end of a file; *trailer is null if there is none. Errors:
 * NUMPACT_CHECKSUM, NUMPACT_CORRUPT or NUMPACT_UNSUPPORTED_VERSION if it is damaged or newer. */
NUMPACT_C_API numpact_status numpact_trailer_read(const void* file, size_t size,
                                                  numpact_trailer** trailer, numpact_error* error);
/* The same for the tail of a file, which follows `before` other bytes. If it holds only a part of
 * the trailer, *trailer is null and `missing` is set to the bytes before it that are also needed,
 * else to 0. A tail of 24 bytes suffices to know. */
NUMPACT_C_API numpact_status numpact_trailer_read_tail(const void* tail, size_t size,
                                                       uint64_t before, numpact_trailer** trailer,
                                                       uint64_t* missing, numpact_error* error);
NUMPACT_C_API void numpact_trailer_destroy(numpact_trailer* trailer);
NUMPACT_C_API numpact_type numpact_trailer_type(const numpact_trailer* trailer);
NUMPACT_C_API uint64_t numpact_trailer_count(const numpact_trailer* trailer);
/* Bytes of the file before the trailer. */
NUMPACT_C_API uint64_t numpact_trailer_file_size(const numpact_trailer* trailer);
NUMPACT_C_API size_t numpact_trailer_chunk_count(const numpact_trailer* trailer);
NUMPACT_C_API numpact_status numpact_trailer_chunk(const numpact_trailer* trailer, size_t index,
                                                   numpact_chunk_summary* summary,
                                                   numpact_error* error);
/* Finds the chunks that may hold a number from *min to *max, both of the file's type. Writes the
 * indices of the first `capacity` of them, in order; `count` is set to how many there are. NaN is
 * in no range. */
NUMPACT_C_API numpact_status numpact_trailer_find(const numpact_trailer* trailer, const void* min,
                                                  const void* max, size_t* indices, size_t capacity,
                                                  size_t* count, numpact_error* error);
/* Makes a trailer for a file by decoding it. It belongs at `file_size`, where the file ends, and
 * replaces the trailer that the file has, which is compared (NUMPACT_CHECKSUM, NUMPACT_CORRUPT).
 * NUMPACT_CORRUPT, with their offset: other bytes follow the file; to drop them, pass its first
 * `file_size` bytes of numpact_verify. NUMPACT_DOES_NOT_FIT says how much is needed. */
NUMPACT_C_API numpact_status numpact_trailer_make(numpact_context* context, const void* file,
                                                  size_t size, int32_t kind, unsigned restart_log,
                                                  void* out, size_t capacity, size_t* written,
                                                  uint64_t* file_size, numpact_error* error);

typedef struct numpact_verification {
  size_t struct_size;
  int32_t is_sound;      /* 1: nothing is damaged, and no unknown bytes follow */
  int32_t trailer;       /* NUMPACT_TRAILER_... of the list above */
  uint64_t sound_count;  /* numbers in intact chunks */
  uint64_t damage_count; /* damaged parts found */
  /* The first of them, if any; numpact_error has the reason. */
  uint64_t damaged_chunk;
  uint64_t damaged_offset;
  uint64_t file_size; /* bytes up to and including the terminator, if it was reached */
} numpact_verification;

/* Checks a whole file: structure, checksums, and that every number can be decoded. Damage is the
 * result, not an error: the status is NUMPACT_OK, and `error` describes the first damage. */
NUMPACT_C_API numpact_status numpact_verify(numpact_context* context, const void* file, size_t size,
                                            numpact_verification* verification,
                                            numpact_error* error);

/* ---- streams ---- */

/* Input: reads 1 to `capacity` bytes into `out`, sets *size to their count, 0 only at the end, and
 * returns 0; or returns an errno, or -1 for an unknown error. May block. */
typedef int (*numpact_read_function)(void* opaque, void* out, size_t capacity, size_t* size);
/* Output: takes all bytes; returns as above. */
typedef int (*numpact_write_function)(void* opaque, const void* bytes, size_t size);

/* Decodes a file from a source, in order, in little memory: an input window and one batch, and the
 * chunk's dictionary and lookback window. */
typedef struct numpact_stream_reader numpact_stream_reader;

/* The context's memory, executor, limits and progress function are used until the reader is
 * destroyed; the context serves nothing else meanwhile. Reads nothing yet. */
NUMPACT_C_API numpact_status numpact_stream_reader_create(numpact_context* context,
                                                          numpact_read_function read, void* opaque,
                                                          numpact_stream_reader** reader,
                                                          numpact_error* error);
NUMPACT_C_API void numpact_stream_reader_destroy(numpact_stream_reader* reader);
/* The header and the type; reads up to the first chunk. */
NUMPACT_C_API numpact_status numpact_stream_reader_info(numpact_stream_reader* reader,
                                                        numpact_file_info* info,
                                                        numpact_error* error);
/* Decodes the next numbers, as many as fit; fewer only at the end of the file. Errors are returned
 * again by later calls; good_count counts the numbers of this call. */
NUMPACT_C_API numpact_status numpact_stream_reader_read(numpact_stream_reader* reader,
                                                        numpact_type type, void* out,
                                                        size_t capacity, size_t* count,
                                                        numpact_error* error);
/* After the end of the file: reads the trailer, if there is one, compares the file with it, and
 * sets `state` to a NUMPACT_TRAILER_... of the list above; a damaged trailer is no error.
 * NUMPACT_CHECKSUM: a part of the file is damaged; NUMPACT_CORRUPT: the trailer contradicts the
 * file; NUMPACT_INVALID_ARGUMENT: the file was not read to its end. */
NUMPACT_C_API numpact_status numpact_stream_reader_check_trailer(numpact_stream_reader* reader,
                                                                 int32_t* state,
                                                                 numpact_error* error);

/* Encodes numbers to a file on a sink; keeps one chunk of numbers in memory. */
typedef struct numpact_stream_writer numpact_stream_writer;

/* `count_hint`: the total count if known, else 0; it is stored for readers. The context as for
 * readers. */
NUMPACT_C_API numpact_status numpact_stream_writer_create(
    numpact_context* context, numpact_write_function write, void* opaque, numpact_type type,
    const numpact_encode_options* options, uint64_t count_hint, numpact_stream_writer** writer,
    numpact_error* error);
/* Before finish: leaves an unfinished file, which readers refuse as truncated. */
NUMPACT_C_API void numpact_stream_writer_destroy(numpact_stream_writer* writer);
NUMPACT_C_API numpact_status numpact_stream_writer_write(numpact_stream_writer* writer,
                                                         const void* numbers, size_t count,
                                                         numpact_error* error);
/* Ends the current chunk early. */
NUMPACT_C_API numpact_status numpact_stream_writer_end_chunk(numpact_stream_writer* writer,
                                                             numpact_error* error);
/* Writes pending numbers, the terminator and the trailer, if one was requested. */
NUMPACT_C_API numpact_status numpact_stream_writer_finish(numpact_stream_writer* writer,
                                                          numpact_error* error);
/* Bytes written to the sink so far. */
NUMPACT_C_API uint64_t numpact_stream_writer_bytes(const numpact_stream_writer* writer);

/* ---- files that grow ---- */

/* Appends to a file in place, or ends one whose writer was stopped. The program owns the file and
 * its lock: a plan says what to do with it. After an append, the old numbers or all can be read at
 * every moment, also after a crash, which may cost the trailer and leave bytes behind the file. */

enum {
  NUMPACT_STEP_WRITE = 1,  /* bytes at an offset */
  NUMPACT_STEP_RESIZE = 2, /* makes the file `offset` bytes long */
  NUMPACT_STEP_SYNC = 3    /* fsync: what was done before is stored before anything after it */
};

typedef struct numpact_file_step {
  size_t struct_size;
  int32_t kind; /* NUMPACT_STEP_... */
  uint64_t offset;
  const void* bytes; /* NUMPACT_STEP_WRITE: valid until the plan is destroyed */
  size_t size;
} numpact_file_step;

/* Steps to carry out in order. Immutable; threads may share it. Keeps nothing of the file and the
 * numbers. */
typedef struct numpact_file_plan numpact_file_plan;

/* Plans to append chunks with these numbers to the file, whose bytes do not change until the last
 * step. With an intact trailer only the header and the trailer are read, so that a mapped file
 * costs little, and the chunks are not compared with it: the new trailer still tells of damage to
 * them. Else the codes of the file are read. `options`: those of numpact_compress, for the new
 * chunks; a trailer of the kind that the file has is continued, whether requested or not. The file
 * keeps its format version. Of no numbers the plan has no steps.
 *
 * Errors: those of numpact_compress; NUMPACT_TYPE_MISMATCH: the file has another type;
 * NUMPACT_UNSUPPORTED_VERSION: a format version before 4; NUMPACT_CHECKSUM and NUMPACT_CORRUPT: the
 * header, the trailer or, without one, the codes are damaged; NUMPACT_CORRUPT, with their offset:
 * bytes follow the file that are neither its trailer nor an unfinished one, and would be lost;
 * NUMPACT_INVALID_ARGUMENT: a trailer of another kind is requested, which numpact_trailer_make
 * makes of the whole file. */
NUMPACT_C_API numpact_status numpact_file_plan_append(numpact_context* context, const void* file,
                                                      size_t size, numpact_type type,
                                                      const void* numbers, size_t count,
                                                      const numpact_encode_options* options,
                                                      numpact_file_plan** plan,
                                                      numpact_error* error);
/* Plans to end a file behind its last whole chunk, such as a log without a terminator, or one with
 * what a crash left behind it. All chunks are decoded, and if the file has a trailer compared with
 * it as by numpact_verify. A sound file has no steps.
 *
 * NUMPACT_CORRUPT, NUMPACT_CHECKSUM: the file or its trailer is damaged, or another Pco file
 * follows; NUMPACT_TRUNCATED: more chunks follow one that claims too many bytes. */
NUMPACT_C_API numpact_status numpact_file_plan_repair(numpact_context* context, const void* file,
                                                      size_t size, numpact_file_plan** plan,
                                                      numpact_error* error);
NUMPACT_C_API void numpact_file_plan_destroy(numpact_file_plan* plan);
/* Numbers of the file when the steps are done. */
NUMPACT_C_API uint64_t numpact_file_plan_count(const numpact_file_plan* plan);
/* `is_undo`: 0 for the steps, 1 for those that give the old file its end and its trailer back. */
NUMPACT_C_API size_t numpact_file_plan_step_count(const numpact_file_plan* plan, int is_undo);
/* The index of the step that makes new numbers part of the file, 0 for a repair. After a failure
 * before it, do the steps of undo, as far as they succeed. */
NUMPACT_C_API size_t numpact_file_plan_commit_step(const numpact_file_plan* plan);
NUMPACT_C_API numpact_status numpact_file_plan_step(const numpact_file_plan* plan, int is_undo,
                                                    size_t index, numpact_file_step* step,
                                                    numpact_error* error);

/* ---- wrapped format ---- */

/* For engines that store header, chunk metadata and pages themselves, with the type and the count
 * of each page. */

/* Writes the header, 1 or 2 bytes, for chunks of the given NUMPACT_FORMAT_... */
NUMPACT_C_API numpact_status numpact_write_wrapped_header(int32_t format, void* out,
                                                          size_t capacity, size_t* size,
                                                          numpact_error* error);
/* Reads the header; `size` is set to its bytes. */
NUMPACT_C_API numpact_status numpact_read_wrapped_header(const void* bytes, size_t bytes_size,
                                                         unsigned* major, unsigned* minor,
                                                         size_t* size, numpact_error* error);

/* An encoded chunk of 1 to 2^24 numbers: its metadata and pages. Immutable; threads may share it.
 */
typedef struct numpact_chunk_encoder numpact_chunk_encoder;

/* Maximum bytes of the metadata and all pages of a chunk together, whatever the options. Saturates
 * at SIZE_MAX. */
NUMPACT_C_API size_t numpact_chunk_bound(numpact_type type, size_t count);
NUMPACT_C_API numpact_status numpact_chunk_encoder_create(
    numpact_context* context, numpact_type type, const void* numbers, size_t count,
    const numpact_encode_options* options, numpact_chunk_encoder** encoder, numpact_error* error);
NUMPACT_C_API void numpact_chunk_encoder_destroy(numpact_chunk_encoder* encoder);
NUMPACT_C_API size_t numpact_chunk_encoder_page_count(const numpact_chunk_encoder* encoder);
/* Numbers of a page, and bounds on bytes; 0 if there is no such page. */
NUMPACT_C_API size_t numpact_chunk_encoder_page_numbers(const numpact_chunk_encoder* encoder,
                                                        size_t page);
NUMPACT_C_API size_t numpact_chunk_encoder_page_bound(const numpact_chunk_encoder* encoder,
                                                      size_t page);
NUMPACT_C_API size_t numpact_chunk_encoder_meta_bound(const numpact_chunk_encoder* encoder);

/* The values are those of the format. */
enum {
  NUMPACT_MODE_CLASSIC = 0,
  NUMPACT_MODE_INT_MULT = 1,
  NUMPACT_MODE_FLOAT_MULT = 2,
  NUMPACT_MODE_FLOAT_QUANT = 3,
  NUMPACT_MODE_DICT = 4
};
enum {
  NUMPACT_DELTA_NONE = 0,
  NUMPACT_DELTA_CONSECUTIVE = 1,
  NUMPACT_DELTA_LOOKBACK = 2,
  NUMPACT_DELTA_CONV1 = 3
};

typedef struct numpact_chunk_info {
  size_t struct_size;
  numpact_type type;
  int32_t mode;  /* NUMPACT_MODE_... */
  int32_t delta; /* NUMPACT_DELTA_... */
  uint64_t count;
  uint64_t page_count;
  uint64_t meta_size; /* bytes of the metadata */
  uint64_t page_size; /* bytes of all pages */
  /* Bins of the latent variables: lookbacks, primary, secondary. 0: there is no such variable. */
  uint64_t bin_counts[3];
  uint32_t table_logs[3]; /* log2 of the states of its tANS table; 0: there is none */
} numpact_chunk_info;

/* The encodings chosen, and all sizes, before anything is written. */
NUMPACT_C_API numpact_status numpact_chunk_encoder_info(const numpact_chunk_encoder* encoder,
                                                        numpact_chunk_info* info,
                                                        numpact_error* error);
/* The same as text: "float-mult=0.01, consecutive=1; primary: 12 bins, table of 2^6; ...", with a
 * terminating zero that `size` does not count. 256 bytes suffice. */
NUMPACT_C_API numpact_status numpact_chunk_encoder_describe(const numpact_chunk_encoder* encoder,
                                                            char* out, size_t capacity,
                                                            size_t* size, numpact_error* error);
NUMPACT_C_API numpact_status numpact_chunk_encoder_write_meta(const numpact_chunk_encoder* encoder,
                                                              void* out, size_t capacity,
                                                              size_t* size, numpact_error* error);
NUMPACT_C_API numpact_status numpact_chunk_encoder_write_page(const numpact_chunk_encoder* encoder,
                                                              size_t page, void* out,
                                                              size_t capacity, size_t* size,
                                                              numpact_error* error);

/* The record of a page, from its numbers and its bytes: `offset` counts the bytes of metadata and
 * pages before it, `first` the numbers; restart_points is 0. */
NUMPACT_C_API numpact_status
numpact_chunk_encoder_page_summary(const numpact_chunk_encoder* encoder, size_t page,
                                   numpact_chunk_summary* summary, numpact_error* error);

/* The metadata of a chunk, read and checked. Immutable; threads may share it, each with a context
 * of its own. */
typedef struct numpact_chunk_decoder numpact_chunk_decoder;

/* Reads the metadata at the start of `bytes`, which may be freed afterwards. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_create(
    numpact_context* context, const void* bytes, size_t bytes_size, numpact_type type,
    unsigned major, unsigned minor, numpact_chunk_decoder** decoder, numpact_error* error);
NUMPACT_C_API void numpact_chunk_decoder_destroy(numpact_chunk_decoder* decoder);
NUMPACT_C_API size_t numpact_chunk_decoder_meta_size(const numpact_chunk_decoder* decoder);
/* Decodes a page of `page_numbers` numbers at the start of `bytes`. `size` (null is allowed) is set
 * to its bytes. NUMPACT_DOES_NOT_FIT, before anything is written: the output, whose capacity is in
 * bytes, does not hold all. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_read_page(const numpact_chunk_decoder* decoder,
                                                             numpact_context* context,
                                                             const void* bytes, size_t bytes_size,
                                                             size_t page_numbers, void* out,
                                                             size_t capacity, size_t* size,
                                                             numpact_error* error);
/* The same for the first numbers of the page, as many as fit. If these are not all, the end of the
 * page is not located, and `size` is set to the count of whole bytes that were read. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_read_page_front(
    const numpact_chunk_decoder* decoder, numpact_context* context, const void* bytes,
    size_t bytes_size, size_t page_numbers, void* out, size_t capacity, size_t* size,
    numpact_error* error);
/* A page to decode: all of its bytes, and the count of its numbers. Has no struct_size: it will
 * never have other fields. */
typedef struct numpact_page_input {
  const void* bytes;
  size_t bytes_size;
  size_t numbers;
} numpact_page_input;
/* Decodes whole pages into `out`, one behind the other; it has room for all of them. This is faster
 * than a call for each where pages have up to some hundred numbers, and for pages with Conv1, which
 * processors with AVX2 decode up to eight at once. It takes more scratch memory, for up to 16
 * pages. After an error `out` behind the good numbers may have any contents. It also fails with
 * NUMPACT_CORRUPT if a page ends before its bytes. The offset of an error counts from the start of
 * its page; good_count is the count of the numbers of the pages before it, 0 if an argument is
 * wrong. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_read_pages(
    const numpact_chunk_decoder* decoder, numpact_context* context, const numpact_page_input* pages,
    size_t page_count, void* out, size_t capacity, numpact_error* error);

/* The contents of the metadata; counts and sizes of pages are 0. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_info(const numpact_chunk_decoder* decoder,
                                                        numpact_chunk_info* info,
                                                        numpact_error* error);
/* The same as text: "float-mult=0.01, consecutive=1; primary: 12 bins, table of 2^6; ...", with a
 * terminating zero that `size` does not count. 256 bytes suffice. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_describe(const numpact_chunk_decoder* decoder,
                                                            char* out, size_t capacity,
                                                            size_t* size, numpact_error* error);

/* The latent variables of a chunk: lookbacks, primary, secondary. */
enum { NUMPACT_LATENTS_DELTA = 0, NUMPACT_LATENTS_PRIMARY = 1, NUMPACT_LATENTS_SECONDARY = 2 };

/* A bin: the latents lower to lower + 2^offset_bits - 1, with `weight` of the states of the table.
 * Has no struct_size: it will never have other fields. */
typedef struct numpact_bin {
  uint64_t lower;
  uint32_t weight;
  uint32_t offset_bits;
} numpact_bin;

/* Writes the first `capacity` bins of a variable; `count` is set to how many there are. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_bins(const numpact_chunk_decoder* decoder,
                                                        int32_t variable, numpact_bin* bins,
                                                        size_t capacity, size_t* count,
                                                        numpact_error* error);

enum {
  NUMPACT_MATCH_NONE = 0,
  NUMPACT_MATCH_SOME = 1, /* some, or the metadata do not tell */
  NUMPACT_MATCH_ALL = 2
};
/* Sets `match` to how many numbers of every page are in the range of values, by the metadata alone:
 * they tell in mode dict, and in classic and int-mult without a delta encoding. */
NUMPACT_C_API numpact_status numpact_chunk_decoder_match(const numpact_chunk_decoder* decoder,
                                                         const void* min, const void* max,
                                                         int32_t* match, numpact_error* error);

/* Decodes a page in parts, and keeps its state between the calls. Serves one thread at a time. */
typedef struct numpact_page_reader numpact_page_reader;

/* The decoder, and the allocator of the context, are used until the reader is destroyed. */
NUMPACT_C_API numpact_status numpact_page_reader_create(numpact_context* context,
                                                        const numpact_chunk_decoder* decoder,
                                                        numpact_page_reader** reader,
                                                        numpact_error* error);
NUMPACT_C_API void numpact_page_reader_destroy(numpact_page_reader* reader);
/* Begins a page of `page_numbers` numbers at the start of `bytes`, which must not change while it
 * is read. `point`: null, or a restart point of this page to begin at. NUMPACT_CORRUPT: the point
 * does not fit the page; one that was changed may also give wrong numbers. Once warm, this and the
 * functions below allocate nothing. */
NUMPACT_C_API numpact_status numpact_page_reader_start(numpact_page_reader* reader,
                                                       const void* bytes, size_t bytes_size,
                                                       size_t page_numbers, const void* point,
                                                       size_t point_size, numpact_error* error);
/* Decodes the next numbers, as many as fit, fastest in multiples of 256; `count` is set to how
 * many. The end of the page is checked with its last number. Errors of the bytes are returned again
 * by later calls. */
NUMPACT_C_API numpact_status numpact_page_reader_read(numpact_page_reader* reader, void* out,
                                                      size_t capacity, size_t* count,
                                                      numpact_error* error);
/* Decodes and drops numbers. NUMPACT_INVALID_ARGUMENT: the page has fewer left. */
NUMPACT_C_API numpact_status numpact_page_reader_skip(numpact_page_reader* reader, size_t count,
                                                      numpact_error* error);
/* The numbers left, and the bytes read so far; once no numbers are left, the size of the page. */
NUMPACT_C_API size_t numpact_page_reader_left(const numpact_page_reader* reader);
NUMPACT_C_API size_t numpact_page_reader_bytes(const numpact_page_reader* reader);
/* Bytes of a restart point of the page; 0: it has none, since the chunk uses Lookback. */
NUMPACT_C_API size_t numpact_page_reader_point_size(const numpact_page_reader* reader);
/* Writes a restart point for the next number, which you store. NUMPACT_INVALID_ARGUMENT: not after
 * a multiple of 256 numbers, or at the end of the page. */
NUMPACT_C_API numpact_status numpact_page_reader_write_point(const numpact_page_reader* reader,
                                                             void* out, size_t capacity,
                                                             size_t* size, numpact_error* error);

/* ---- CVC: collections of vectors ---- */

/* The type of values in memory or of a column. */
typedef uint8_t numpact_dtype;
enum {
  NUMPACT_DTYPE_FLOAT32 = 0,
  NUMPACT_DTYPE_FLOAT16 = 1,
  NUMPACT_DTYPE_BFLOAT16 = 2, /* only of memory */
  NUMPACT_DTYPE_FLOAT64 = 3,  /* only of rows to write */
  NUMPACT_DTYPE_INT32 = 4,
  NUMPACT_DTYPE_INT64 = 5,
  NUMPACT_DTYPE_INT8 = 6,
  NUMPACT_DTYPE_UINT8 = 7
};

/* A column of a file. A file of one array has one, without a name. */
typedef struct numpact_cvc_column {
  size_t struct_size;
  const char* name;        /* valid while the reader lives */
  const char* compression; /* "fp16", "int8", "pco", ...; the default of its chunks; static */
  uint64_t dimension;      /* values per row */
  numpact_dtype dtype;     /* of the values written */
} numpact_cvc_column;

/* A CVC file in memory. Immutable: threads may share a reader, each with a context of its own. */
typedef struct numpact_cvc_reader numpact_cvc_reader;

/* `file` must outlive the reader and not change. Reads and checks the header. */
NUMPACT_C_API numpact_status numpact_cvc_reader_create(numpact_context* context, const void* file,
                                                       size_t size, numpact_cvc_reader** reader,
                                                       numpact_error* error);
/* Reads 1 to `capacity` bytes at an offset and sets *size to their count, 0 only behind the end of
 * the file; returns 0, an errno, or -1. Called concurrently, by the executor's threads. */
typedef int (*numpact_read_at_function)(void* opaque, uint64_t offset, void* out, size_t capacity,
                                        size_t* size);
/* The same for a file that is not in memory, until the reader is destroyed. Reads the header now;
 * later whole chunks where checksums are compared, else the bytes of the rows. */
NUMPACT_C_API numpact_status numpact_cvc_reader_open(numpact_context* context,
                                                     numpact_read_at_function read, void* opaque,
                                                     uint64_t file_size,
                                                     numpact_cvc_reader** reader,
                                                     numpact_error* error);
NUMPACT_C_API void numpact_cvc_reader_destroy(numpact_cvc_reader* reader);
NUMPACT_C_API uint64_t numpact_cvc_reader_rows(const numpact_cvc_reader* reader);
NUMPACT_C_API size_t numpact_cvc_reader_column_count(const numpact_cvc_reader* reader);
NUMPACT_C_API numpact_status numpact_cvc_reader_column(const numpact_cvc_reader* reader,
                                                       size_t index, numpact_cvc_column* column,
                                                       numpact_error* error);
/* A chunk: rows of all columns that are stored together. */
typedef struct numpact_cvc_chunk {
  size_t struct_size;
  uint64_t first_row;
  uint64_t rows;
  uint64_t offset; /* in the file */
  uint64_t size;   /* bytes */
} numpact_cvc_chunk;

NUMPACT_C_API size_t numpact_cvc_reader_chunk_count(const numpact_cvc_reader* reader);
/* NUMPACT_INVALID_ARGUMENT: there is no such chunk. */
NUMPACT_C_API numpact_status numpact_cvc_reader_chunk(const numpact_cvc_reader* reader,
                                                      size_t index, numpact_cvc_chunk* chunk,
                                                      numpact_error* error);
/* Reads rows first to first + count - 1 of a column into `out`, of dtype float32, float16 or
 * bfloat16 (integers stored uncompressed or as pco: their own type). Row r goes to r * stride bytes
 * behind `out`; stride 0: no gaps. `out` is aligned for its dtype. Chunks read whole are checked
 * against their checksums. */
NUMPACT_C_API numpact_status numpact_cvc_reader_read(const numpact_cvc_reader* reader,
                                                     numpact_context* context, uint64_t first,
                                                     uint64_t count, size_t column,
                                                     numpact_dtype dtype, void* out, size_t stride,
                                                     numpact_error* error);
/* Reads single rows, in any order and with repeats. */
NUMPACT_C_API numpact_status numpact_cvc_reader_gather(
    const numpact_cvc_reader* reader, numpact_context* context, const uint64_t* rows, size_t count,
    size_t column, numpact_dtype dtype, void* out, size_t stride, numpact_error* error);

typedef struct numpact_cvc_options {
  size_t struct_size;
  const char* compression; /* "fp16", "int8_dim", ...; null: fp16 */
  uint64_t chunk_rows;     /* at least 1 */
  uint64_t dimension;      /* values per row */
  int allow_nonfinite;     /* 1: quantize chunks with NaN or infinities, see cvc/config.hpp */
} numpact_cvc_options;

NUMPACT_C_API void numpact_cvc_options_init(numpact_cvc_options* options);

/* Writes a file of one array, CVC 1.0, in memory. */
typedef struct numpact_cvc_writer numpact_cvc_writer;

NUMPACT_C_API numpact_status numpact_cvc_writer_create(numpact_context* context,
                                                       const numpact_cvc_options* options,
                                                       numpact_cvc_writer** writer,
                                                       numpact_error* error);
NUMPACT_C_API void numpact_cvc_writer_destroy(numpact_cvc_writer* writer);
/* Appends rows without gaps, aligned for their dtype, which is the same in every call. */
NUMPACT_C_API numpact_status numpact_cvc_writer_append(numpact_cvc_writer* writer,
                                                       numpact_dtype dtype, const void* rows,
                                                       uint64_t count, numpact_error* error);
/* Ends the file; `bytes` is valid until the writer is destroyed. */
NUMPACT_C_API numpact_status numpact_cvc_writer_finish(numpact_cvc_writer* writer,
                                                       const void** bytes, size_t* size,
                                                       numpact_error* error);

typedef struct numpact_cvc_report {
  size_t struct_size;
  uint64_t rows;
  uint64_t chunks;
  uint64_t bytes;      /* of the file */
  uint64_t overflows;  /* finite values that became infinite in half precision or bfloat16 */
  uint64_t underflows; /* values that are too small for the compression and became 0, or the least
                          value of their range */
  uint64_t lost;       /* finite values that read as NaN, see allow_nonfinite */
} numpact_cvc_report;

/* What was written and what it lost; zeros before numpact_cvc_writer_finish. The caller sets
 * report->struct_size. */
NUMPACT_C_API numpact_status numpact_cvc_writer_report(const numpact_cvc_writer* writer,
                                                       numpact_cvc_report* report,
                                                       numpact_error* error);

/* ---- Arrow columns ---- */

/* The structures of Arrow's C data interface, as its specification fixes them, unless another
 * header has declared them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif

/* Compresses one array with its nulls and its logical type: integers, floats, booleans, dates,
 * times, timestamps and durations. Writes what compress_arrow of the Python package writes, the
 * numbers that are not null as a file in a frame (docs/format/arrow-column.md). The structures are
 * only read; the caller releases them. `options`: those of numpact_compress, without a trailer, for
 * the numbers that are not null.
 *
 * Errors: those of numpact_compress; NUMPACT_TYPE_MISMATCH for other types, among them dictionaries
 * and nested types; NUMPACT_INVALID_ARGUMENT for released or inconsistent structures. */
NUMPACT_C_API numpact_status numpact_compress_arrow(numpact_context* context,
                                                    const struct ArrowSchema* schema,
                                                    const struct ArrowArray* array,
                                                    const numpact_encode_options* options,
                                                    void* out, size_t capacity, size_t* size,
                                                    numpact_error* error);
/* Maximum bytes of the result, found by reading the validity bitmap. 0 if the array or the options
 * would be refused. */
NUMPACT_C_API size_t numpact_compress_arrow_bound(const struct ArrowSchema* schema,
                                                  const struct ArrowArray* array,
                                                  const numpact_encode_options* options);

/* Decompresses the result of numpact_compress_arrow, or a plain file, which has no nulls. The
 * caller releases both structures, by their release functions; their memory is not that of the
 * context, which may be destroyed before. Rows that are null have the number 0. The limits of the
 * context count rows, including null ones. Without limits, a few bytes can claim a column of nulls
 * of any length. After an error both structures are marked as released. */
NUMPACT_C_API numpact_status numpact_decompress_arrow(numpact_context* context, const void* bytes,
                                                      size_t size, struct ArrowSchema* schema,
                                                      struct ArrowArray* array,
                                                      numpact_error* error);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
