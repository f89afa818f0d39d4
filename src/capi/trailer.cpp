// SPDX-License-Identifier: Apache-2.0
// Trailers, and the search for damage.
#include "numpact/trailer.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/ranges.hpp"

struct numpact_trailer {
  // Clang 14 makes no aggregates by parentheses, as std::make_unique() does.
  explicit numpact_trailer(numpact::Trailer from) : trailer(std::move(from)) {}
  numpact::Trailer trailer;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

static_assert(NUMPACT_TRAILER_ABSENT == static_cast<int>(TrailerState::kNone));
static_assert(NUMPACT_TRAILER_SOUND == static_cast<int>(TrailerState::kSound));
static_assert(NUMPACT_TRAILER_DAMAGED == static_cast<int>(TrailerState::kDamaged));
static_assert(NUMPACT_TRAILER_UNRECOGNIZED == static_cast<int>(TrailerState::kUnrecognised));

}  // namespace

extern "C" {

numpact_status numpact_trailer_read(const void* file, size_t size, numpact_trailer** trailer,
                                    numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(trailer));
    std::optional<Trailer> found;
    NUMPACT_TRY(Trailer::read(bytes_of(file, size)).into(found));
    if (!found) {
      *trailer = nullptr;
      return {};
    }
    return give_object(std::make_unique<numpact_trailer>(std::move(*found)), trailer);
  });
}

numpact_status numpact_trailer_read_tail(const void* tail, size_t size, uint64_t before,
                                         numpact_trailer** trailer, uint64_t* missing,
                                         numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(trailer));
    NUMPACT_TRY(check_given(missing));
    TrailerTail found;
    NUMPACT_TRY(Trailer::read_tail(bytes_of(tail, size), before).into(found));
    *missing = found.missing;
    if (!found.trailer) {
      *trailer = nullptr;
      return {};
    }
    return give_object(std::make_unique<numpact_trailer>(std::move(*found.trailer)), trailer);
  });
}

void numpact_trailer_destroy(numpact_trailer* trailer) { delete trailer; }

numpact_type numpact_trailer_type(const numpact_trailer* trailer) {
  const std::optional<NumberType> type = trailer->trailer.type();
  return type ? static_cast<numpact_type>(*type) : numpact_type{NUMPACT_NO_TYPE};
}

uint64_t numpact_trailer_count(const numpact_trailer* trailer) { return trailer->trailer.count(); }

uint64_t numpact_trailer_file_size(const numpact_trailer* trailer) {
  return trailer->trailer.file_bytes();
}

size_t numpact_trailer_chunk_count(const numpact_trailer* trailer) {
  return trailer->trailer.index().chunk_count();
}

numpact_status numpact_trailer_chunk(const numpact_trailer* trailer, size_t index,
                                     numpact_chunk_summary* summary, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(trailer));
    NUMPACT_TRY(check_struct(summary));
    if (index >= trailer->trailer.index().chunk_count()) {
      return Status(ErrorKind::kInvalidArgument, "the trailer has no such chunk");
    }
    const std::span<const ChunkSummary> chunks = trailer->trailer.chunks();
    if (index >= chunks.size()) return out_of_memory();
    const NumberType type = trailer->trailer.type().value_or(NumberType::kU8);
    give_struct(summary_of(type, chunks[index]), summary);
    return {};
  });
}

numpact_status numpact_trailer_find(const numpact_trailer* trailer, const void* min,
                                    const void* max, size_t* indices, size_t capacity,
                                    size_t* count, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(trailer));
    NUMPACT_TRY(check_given(min));
    NUMPACT_TRY(check_given(max));
    NUMPACT_TRY(check_given(count));
    if (capacity > 0) NUMPACT_TRY(check_given(indices));
    const std::optional<NumberType> type = trailer->trailer.type();
    *count = 0;
    if (!type) return {};
    if (trailer->trailer.chunks().size() < trailer->trailer.index().chunk_count()) {
      return out_of_memory();
    }
    NUMPACT_TRY(ensure_memory(2 * sizeof(std::size_t) * trailer->trailer.index().chunk_count()));
    const std::vector<std::size_t> found =
        trailer->trailer.chunks_within(latent_at(*type, min), latent_at(*type, max));
    std::copy_n(found.begin(), found.size() < capacity ? found.size() : capacity, indices);
    *count = found.size();
    return {};
  });
}

numpact_status numpact_verify(numpact_context* context, const void* file, size_t size,
                              numpact_verification* verification, numpact_error* error) {
  Status damage;
  const numpact_status status = run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_struct(verification));
    Verification found;
    NUMPACT_TRY(
        verify(bytes_of(file, size), decode_config(context), decode_context(context)).into(found));
    numpact_verification made = {};
    made.is_sound = found.is_sound() ? 1 : 0;
    made.trailer = static_cast<std::int32_t>(found.trailer);
    made.sound_count = found.sound_count;
    made.damage_count = found.damage.size();
    made.damaged_chunk = NUMPACT_UNKNOWN;
    made.damaged_offset = NUMPACT_UNKNOWN;
    made.file_size = found.file_bytes;
    if (!found.damage.empty()) {
      const DamagedPart& first = found.damage.front();
      made.damaged_chunk = first.chunk;
      made.damaged_offset = first.offset;
      damage = first.status;
    } else {
      damage = found.header_status.ok() ? found.trailer_status : found.header_status;
    }
    give_struct(made, verification);
    return {};
  });
  if (status == NUMPACT_OK) report(damage, error);
  return status;
}

}  // extern "C"
