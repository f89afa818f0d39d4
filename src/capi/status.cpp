// SPDX-License-Identifier: Apache-2.0
// Versions, processors, types and errors.
#include <cstring>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/cpu.hpp"

namespace numpact::internal::capi {
namespace {

// numpact.h repeats the values of the C++ library.
static_assert(NUMPACT_OK == static_cast<int>(ErrorKind::kNone));
static_assert(NUMPACT_INVALID_ARGUMENT == static_cast<int>(ErrorKind::kInvalidArgument));
static_assert(NUMPACT_TYPE_MISMATCH == static_cast<int>(ErrorKind::kTypeMismatch));
static_assert(NUMPACT_DOES_NOT_FIT == static_cast<int>(ErrorKind::kOutputTooSmall));
static_assert(NUMPACT_CORRUPT == static_cast<int>(ErrorKind::kCorrupt));
static_assert(NUMPACT_TRUNCATED == static_cast<int>(ErrorKind::kTruncated));
static_assert(NUMPACT_UNSUPPORTED_VERSION == static_cast<int>(ErrorKind::kUnsupportedVersion));
static_assert(NUMPACT_CHECKSUM == static_cast<int>(ErrorKind::kChecksum));
static_assert(NUMPACT_LIMIT_EXCEEDED == static_cast<int>(ErrorKind::kLimitExceeded));
static_assert(NUMPACT_OUT_OF_MEMORY == static_cast<int>(ErrorKind::kOutOfMemory));
static_assert(NUMPACT_IO == static_cast<int>(ErrorKind::kIo));
static_assert(NUMPACT_TIMED_OUT == static_cast<int>(ErrorKind::kTimedOut));
static_assert(NUMPACT_CANCELLED == static_cast<int>(ErrorKind::kCancelled));
static_assert(NUMPACT_UNKNOWN == Status::kNoOffset);
static_assert(NUMPACT_U32 == static_cast<int>(NumberType::kU32));
static_assert(NUMPACT_I8 == static_cast<int>(NumberType::kI8));

#define NUMPACT_TEXT(x) NUMPACT_TEXT_OF(x)
#define NUMPACT_TEXT_OF(x) #x
constexpr char kVersion[] = NUMPACT_TEXT(NUMPACT_VERSION_MAJOR) "." NUMPACT_TEXT(
    NUMPACT_VERSION_MINOR) "." NUMPACT_TEXT(NUMPACT_VERSION_PATCH);
#undef NUMPACT_TEXT
#undef NUMPACT_TEXT_OF

}  // namespace

numpact_status report(const Status& status, numpact_error* error) noexcept {
  const auto number = static_cast<numpact_status>(status.kind());
  if (error == nullptr || error->struct_size < sizeof(std::size_t)) return number;
  numpact_error made = {};
  made.status = number;
  made.system_error = status.system_error();
  made.text = status.what();
  made.offset = status.offset();
  made.chunk = status.chunk();
  made.needed = status.needed_bytes();
  made.good_count = status.good_numbers();
  give_struct(made, error);
  return number;
}

}  // namespace numpact::internal::capi

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

void numpact_error_init(numpact_error* error) {
  error->struct_size = sizeof *error;
  report(Status(), error);
}

const char* numpact_status_name(numpact_status status) {
  return to_string(static_cast<ErrorKind>(status));
}

const char* numpact_version() { return kVersion; }

uint32_t numpact_version_number() {
  return 10000 * NUMPACT_VERSION_MAJOR + 100 * NUMPACT_VERSION_MINOR + NUMPACT_VERSION_PATCH;
}

const char* numpact_cpu_target() { return active_cpu_target().data(); }

numpact_status numpact_set_cpu_target(const char* name, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(name));
    return force_cpu_target(name);
  });
}

size_t numpact_type_size(numpact_type type) { return size_of(static_cast<NumberType>(type)); }

}  // extern "C"
