/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of numbers as Pco files in bytea.
 *
 * PostgreSQL leaves functions by longjmp: by ereport, when memory runs out, and on a cancelled
 * query. None of this may happen inside of a call of numpact, which has C++ frames. So the
 * allocator returns null, the progress function returns 0, and errors are raised when the call has
 * returned and its context is destroyed. */
#include <postgres.h>

#include <catalog/pg_type.h>
#include <fmgr.h>
#include <funcapi.h>
#include <math.h>
#include <miscadmin.h>
#include <numpact/numpact.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/memutils.h>

PG_MODULE_MAGIC;

/* ---- calls of the library ---- */

/* A call's context and the error that is raised behind it. */
typedef struct call {
  numpact_context* context;
  numpact_error error;
  numpact_allocator allocator;
  MemoryContext memory;
} call;

/* The address that PostgreSQL returned is stored before the library's memory, since its alignment
 * is less than the library may request. */
static void* allocate(void* opaque, size_t size, size_t alignment) {
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  if (size > MaxAllocHugeSize - alignment - sizeof(void*)) return NULL;
  char* given = MemoryContextAllocExtended((MemoryContext)opaque, size + alignment + sizeof(void*),
                                           MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
  if (given == NULL) return NULL;
  const uintptr_t behind = (uintptr_t)given + sizeof(void*);
  const uintptr_t aligned = (behind + alignment - 1) & ~((uintptr_t)alignment - 1);
  char* memory = given + (aligned - (uintptr_t)given);
  memcpy(memory - sizeof(void*), &given, sizeof(void*));
  return memory;
}

static void release(void* opaque, void* memory, size_t size, size_t alignment) {
  void* given;
  (void)opaque, (void)size, (void)alignment;
  if (memory == NULL) return;
  memcpy(&given, (char*)memory - sizeof(void*), sizeof(void*));
  pfree(given);
}

/* 0: the query was cancelled or the server ends. */
static int go_on(void* opaque, uint64_t numbers, uint64_t bytes) {
  (void)opaque, (void)numbers, (void)bytes;
  return !(InterruptPending && (QueryCancelPending || ProcDiePending));
}

static int status_code(numpact_status status) {
  switch (status) {
    case NUMPACT_INVALID_ARGUMENT:
      return ERRCODE_INVALID_PARAMETER_VALUE;
    case NUMPACT_TYPE_MISMATCH:
      return ERRCODE_DATATYPE_MISMATCH;
    case NUMPACT_CORRUPT:
    case NUMPACT_TRUNCATED:
    case NUMPACT_CHECKSUM:
      return ERRCODE_DATA_CORRUPTED;
    case NUMPACT_UNSUPPORTED_VERSION:
      return ERRCODE_FEATURE_NOT_SUPPORTED;
    case NUMPACT_DOES_NOT_FIT:
    case NUMPACT_LIMIT_EXCEEDED:
      return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case NUMPACT_OUT_OF_MEMORY:
      return ERRCODE_OUT_OF_MEMORY;
    case NUMPACT_CANCELLED:
      return ERRCODE_QUERY_CANCELED;
    default:
      return ERRCODE_INTERNAL_ERROR;
  }
}

/* Raises the error of a call. No object of the library exists then. */
static void raise_error(const numpact_error* error) {
  if (error->status == NUMPACT_CANCELLED) CHECK_FOR_INTERRUPTS();
  ereport(ERROR, (errcode(status_code(error->status)), errmsg("numpact: %s", error->text),
                  error->offset == NUMPACT_UNKNOWN
                      ? 0
                      : errdetail("At byte %llu.", (unsigned long long)error->offset)));
}

/* Scratch memory lives in a context of its own, which ends with the call. */
static void begin(call* made) {
  numpact_context_options options;
  numpact_error_init(&made->error);
  made->memory =
      AllocSetContextCreate(CurrentMemoryContext, "numpact scratch", ALLOCSET_DEFAULT_SIZES);
  made->allocator.struct_size = sizeof made->allocator;
  made->allocator.opaque = made->memory;
  made->allocator.allocate = allocate;
  made->allocator.release = release;
  numpact_context_options_init(&options);
  options.allocator = &made->allocator;
  options.progress = go_on;
  made->context = NULL;
  if (numpact_context_create(&options, &made->context, &made->error) != NUMPACT_OK) {
    MemoryContextDelete(made->memory);
    raise_error(&made->error);
  }
}

/* Ends a call, and raises its error if there is one. */
static void end(call* made, numpact_status status) {
  numpact_context_destroy(made->context);
  MemoryContextDelete(made->memory);
  if (status != NUMPACT_OK) raise_error(&made->error);
}

/* ---- types ---- */

static const char* const type_names[] = {"none", "u32", "u64", "i32", "i64", "f32",
                                         "f64",  "u16", "i16", "f16", "u8",  "i8"};

static numpact_type type_of_oid(Oid oid) {
  switch (oid) {
    case INT2OID:
      return NUMPACT_I16;
    case INT4OID:
      return NUMPACT_I32;
    case INT8OID:
      return NUMPACT_I64;
    case FLOAT4OID:
      return NUMPACT_F32;
    case FLOAT8OID:
      return NUMPACT_F64;
    default:
      return NUMPACT_NO_TYPE;
  }
}

static bool is_float(numpact_type type) {
  return type == NUMPACT_F16 || type == NUMPACT_F32 || type == NUMPACT_F64;
}

static bool is_signed(numpact_type type) {
  return type == NUMPACT_I8 || type == NUMPACT_I16 || type == NUMPACT_I32 || type == NUMPACT_I64;
}

/* Whether all numbers of one type are numbers of another. */
static bool fits(numpact_type from, numpact_type into) {
  const size_t from_size = numpact_type_size(from);
  const size_t into_size = numpact_type_size(into);
  if (from == into) return true;
  return is_float(from) == is_float(into) && from_size < into_size &&
         (is_float(from) || is_signed(into) || !is_signed(from));
}

static float half_to_float(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  float magnitude = ldexpf((float)(mantissa + 1024), exponent - 25);
  if (exponent == 0) magnitude = ldexpf((float)mantissa, -24);
  if (exponent == 31) magnitude = mantissa == 0 ? INFINITY : NAN;
  return bits >> 15 ? -magnitude : magnitude;
}

#define WIDEN(from_type, into_type)                             \
  do {                                                          \
    for (size_t i = 0; i < count; i++) {                        \
      from_type number;                                         \
      into_type wide;                                           \
      memcpy(&number, from + i * sizeof number, sizeof number); \
      wide = (into_type)(number);                               \
      memcpy(out + i * sizeof wide, &wide, sizeof wide);        \
    }                                                           \
    return;                                                     \
  } while (0)

static void widen_integers(numpact_type type, numpact_type into, const char* from, size_t count,
                           char* out) {
  const size_t size = numpact_type_size(into);
#define WIDEN_INTO(from_type)                 \
  do {                                        \
    if (size == 2) WIDEN(from_type, int16_t); \
    if (size == 4) WIDEN(from_type, int32_t); \
    WIDEN(from_type, int64_t);                \
  } while (0)
  switch (type) {
    case NUMPACT_U8:
      WIDEN_INTO(uint8_t);
    case NUMPACT_I8:
      WIDEN_INTO(int8_t);
    case NUMPACT_U16:
      WIDEN_INTO(uint16_t);
    case NUMPACT_I16:
      WIDEN_INTO(int16_t);
    case NUMPACT_U32:
      WIDEN_INTO(uint32_t);
    default:
      WIDEN_INTO(int32_t);
  }
}

static void widen_floats(numpact_type type, numpact_type into, const char* from, size_t count,
                         char* out) {
  if (type == NUMPACT_F32) WIDEN(float, double);
  for (size_t i = 0; i < count; i++) {
    uint16_t bits;
    float single;
    double wide;
    memcpy(&bits, from + i * sizeof bits, sizeof bits);
    single = half_to_float(bits);
    wide = (double)single;
    if (into == NUMPACT_F32) {
      memcpy(out + i * sizeof single, &single, sizeof single);
    } else {
      memcpy(out + i * sizeof wide, &wide, sizeof wide);
    }
  }
}

/* ---- compression ---- */

static void check_array(const ArrayType* array) {
  if (ARR_NDIM(array) > 1) {
    ereport(ERROR,
            (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
             errmsg("an array of numbers must have one dimension, not %d", ARR_NDIM(array))));
  }
  if (array_contains_nulls((ArrayType*)array)) {
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("an array of numbers must not have nulls"),
                    errhint("Remove them by array_remove(numbers, NULL), and store their positions "
                            "in a column of its own.")));
  }
}

PG_FUNCTION_INFO_V1(numpact_compress_array);
Datum numpact_compress_array(PG_FUNCTION_ARGS) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
  const int32 level = PG_GETARG_INT32(1);
  const numpact_type type = type_of_oid(ARR_ELEMTYPE(array));
  const size_t count = (size_t)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  numpact_encode_options options;
  numpact_status status;
  size_t capacity;
  size_t size = 0;
  bytea* file;
  call compress;

  check_array(array);
  if (type == NUMPACT_NO_TYPE) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("not an array of numbers")));
  }
  if (level < 0 || level > NUMPACT_MAX_LEVEL) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("level %d is not between 0 and %d", level, NUMPACT_MAX_LEVEL)));
  }
  numpact_encode_options_init(&options);
  options.level = (unsigned)level;
  capacity = Min(numpact_compress_bound(type, count, &options), MaxAllocSize - VARHDRSZ);
  file = palloc(capacity + VARHDRSZ);
  begin(&compress);
  status = numpact_compress(compress.context, type, ARR_DATA_PTR(array), count, &options,
                            VARDATA(file), capacity, &size, &compress.error);
  end(&compress, status);
  SET_VARSIZE(file, size + VARHDRSZ);
  PG_RETURN_BYTEA_P(repalloc(file, size + VARHDRSZ));
}

/* ---- decompression ---- */

/* The request for numbers first to first + count - 1 of the file. */
typedef struct part {
  uint64_t first;
  uint64_t count;
} part;

static ArrayType* new_array(Oid oid, numpact_type type, uint64_t count) {
  const size_t size = numpact_type_size(type);
  ArrayType* array;
  size_t bytes;
  if (count == 0) return construct_empty_array(oid);
  /* PostgreSQL also bounds the elements of an array, by those that a Datum each would fit. */
  if (count > MaxAllocSize / sizeof(Datum) ||
      count > (MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / size) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("%llu numbers exceed the largest array", (unsigned long long)count),
                    errhint("Read them in parts, by a first position and a count.")));
  }
  bytes = ARR_OVERHEAD_NONULLS(1) + (size_t)count * size;
  array = palloc(bytes);
  memset(array, 0, ARR_OVERHEAD_NONULLS(1));
  SET_VARSIZE(array, bytes);
  array->ndim = 1;
  array->dataoffset = 0;
  array->elemtype = oid;
  ARR_DIMS(array)[0] = (int)count;
  ARR_LBOUND(array)[0] = 1;
  return array;
}

/* The type of a file, which must fit into an array's. */
/* The narrowest type of PostgreSQL that has all numbers of a type; null: there is none. */
static const char* sql_type_of(numpact_type type) {
  static const struct {
    numpact_type type;
    const char* name;
  } known[] = {{NUMPACT_I16, "int2"},
               {NUMPACT_I32, "int4"},
               {NUMPACT_I64, "int8"},
               {NUMPACT_F32, "float4"},
               {NUMPACT_F64, "float8"}};
  for (size_t i = 0; i < lengthof(known); i++) {
    if (fits(type, known[i].type)) return known[i].name;
  }
  return NULL;
}

static void refuse_type(numpact_type type, numpact_type into) {
  const char* held = sql_type_of(type);
  ereport(ERROR,
          (errcode(ERRCODE_DATATYPE_MISMATCH),
           errmsg("the file holds numbers of type %s, which are not read as %s (%s)",
                  type_names[type], sql_type_of(into), type_names[into]),
           held == NULL ? errhint("PostgreSQL has no type that holds all of them.")
                        : errhint("pco_decompress_%s reads them; its result can be cast.", held)));
}

static numpact_type type_of_file(const bytea* file, numpact_type into) {
  numpact_file_info info;
  numpact_error error;
  info.struct_size = sizeof info;
  numpact_error_init(&error);
  if (numpact_read_info(VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file), &info, &error) != NUMPACT_OK) {
    raise_error(&error);
  }
  if (info.type == NUMPACT_NO_TYPE) return into; /* an empty file */
  if (!fits(info.type, into)) refuse_type(info.type, into);
  return info.type;
}

/* Warns of bytes behind the file, which is all that is read. */
static uint64_t count_numbers(const bytea* file) {
  uint64_t count = 0;
  numpact_file_end found;
  numpact_status status;
  call counting;
  memset(&found, 0, sizeof found);
  found.struct_size = sizeof found;
  begin(&counting);
  status = numpact_count(counting.context, VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file), &count,
                         &counting.error);
  if (status == NUMPACT_OK) {
    status = numpact_context_file_end(counting.context, &found, &counting.error);
  }
  end(&counting, status);
  if (found.warning != NULL) {
    const uint64_t at =
        found.foreign_offset == NUMPACT_UNKNOWN ? found.file_size : found.foreign_offset;
    ereport(WARNING, (errcode(ERRCODE_WARNING), errmsg("numpact: %s", found.warning),
                      errdetail("At byte %llu.", (unsigned long long)at)));
  }
  return count;
}

static void read_whole(const bytea* file, numpact_type type, char* out, uint64_t count) {
  numpact_status status;
  call decompress;
  begin(&decompress);
  status = numpact_decompress_exact(decompress.context, VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file),
                                    type, out, (size_t)count, &decompress.error);
  end(&decompress, status);
}

static void read_part(const bytea* file, numpact_type type, char* out, part requested) {
  numpact_reader* reader = NULL;
  numpact_status status;
  call reading;
  begin(&reading);
  status = numpact_reader_create(reading.context, VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file),
                                 &reader, &reading.error);
  if (status == NUMPACT_OK) {
    status = numpact_reader_read(reader, reading.context, requested.first, type, out,
                                 (size_t)requested.count, &reading.error);
  }
  numpact_reader_destroy(reader);
  end(&reading, status);
}

/* The part of a file of `total` numbers that the arguments name; positions begin at 1. */
static part part_of_arguments(FunctionCallInfo fcinfo, uint64_t total) {
  part requested = {0, total};
  int64 first;
  int64 count;
  if (PG_NARGS() < 3) return requested;
  first = PG_GETARG_INT64(1);
  count = PG_GETARG_INT64(2);
  if (first < 1 || count < 0) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the first position must be at least 1, and the count at least 0")));
  }
  requested.first = Min((uint64_t)first - 1, total);
  requested.count = Min((uint64_t)count, total - requested.first);
  return requested;
}

static Datum decompress_into(FunctionCallInfo fcinfo, Oid oid) {
  const bytea* file = PG_GETARG_BYTEA_PP(0);
  const numpact_type into = type_of_oid(oid);
  const numpact_type type = type_of_file(file, into);
  const uint64_t total = count_numbers(file);
  const part requested = part_of_arguments(fcinfo, total);
  ArrayType* array = new_array(oid, into, requested.count);
  char* numbers;
  if (requested.count == 0) PG_RETURN_ARRAYTYPE_P(array);
  numbers = type == into ? ARR_DATA_PTR(array)
                         : palloc((size_t)requested.count * numpact_type_size(type));
  if (requested.count == total) {
    read_whole(file, type, numbers, total);
  } else {
    read_part(file, type, numbers, requested);
  }
  if (type != into) {
    if (is_float(into)) {
      widen_floats(type, into, numbers, (size_t)requested.count, ARR_DATA_PTR(array));
    } else {
      widen_integers(type, into, numbers, (size_t)requested.count, ARR_DATA_PTR(array));
    }
    pfree(numbers);
  }
  PG_RETURN_ARRAYTYPE_P(array);
}

#define DECOMPRESS(name, oid)                     \
  PG_FUNCTION_INFO_V1(numpact_decompress_##name); \
  Datum numpact_decompress_##name(PG_FUNCTION_ARGS) { return decompress_into(fcinfo, oid); }

DECOMPRESS(int2, INT2OID)
DECOMPRESS(int4, INT4OID)
DECOMPRESS(int8, INT8OID)
DECOMPRESS(float4, FLOAT4OID)
DECOMPRESS(float8, FLOAT8OID)

/* ---- information ---- */

PG_FUNCTION_INFO_V1(numpact_file_info_row);
Datum numpact_file_info_row(PG_FUNCTION_ARGS) {
  const bytea* file = PG_GETARG_BYTEA_PP(0);
  const size_t size = VARSIZE_ANY_EXHDR(file);
  bool nulls[4] = {false, false, false, false};
  Datum values[4];
  TupleDesc row;
  numpact_file_info info;
  numpact_error error;
  if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the result must be a row")));
  }
  info.struct_size = sizeof info;
  numpact_error_init(&error);
  if (numpact_read_info(VARDATA_ANY(file), size, &info, &error) != NUMPACT_OK) raise_error(&error);
  nulls[0] = info.type == NUMPACT_NO_TYPE;
  values[0] = nulls[0] ? (Datum)0 : CStringGetTextDatum(type_names[info.type]);
  values[1] = Int64GetDatum((int64)count_numbers(file));
  values[2] = Int64GetDatum((int64)size);
  values[3] = CStringGetTextDatum(psprintf("%d.%d", info.format_major, info.format_minor));
  row = BlessTupleDesc(row);
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(row, values, nulls)));
}
