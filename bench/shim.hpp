// SPDX-License-Identifier: Apache-2.0
// What the files of the shim share. Functions that can fail return an ErrorKind as a number, 0 for
// success, and say more in `error`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "numpact/numpact.hpp"

#define SHIM_EXPORT __attribute__((visibility("default")))

using numpact::ErrorKind;
using numpact::NumberType;
using numpact::Status;

extern "C" {

struct ShimConfig {
  std::uint32_t level;
  std::uint32_t mode_kind;  // 0: automatic; else 1 + numpact::Mode
  std::uint64_t int_base;
  double float_base;
  std::uint32_t quant_k;
  std::uint32_t delta_kind;  // 0: automatic; else 1 + numpact::Delta
  std::uint32_t delta_order;
  std::uint32_t uniform_type;
  std::uint64_t max_page_n;  // 0: the default
  const std::uint64_t* page_sizes;
  std::uint64_t page_count;  // 0: no exact sizes
};

struct ShimError {
  std::uint64_t offset;
  std::uint64_t chunk;
  char message[240];
};

}  // extern "C"

numpact::EncodeConfig encode_config(const ShimConfig& config);

inline NumberType type_of(std::uint32_t byte) { return static_cast<NumberType>(byte); }

inline std::span<const std::byte> bytes_of(const void* data, std::uint64_t size) {
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

inline std::span<std::byte> capacity_of(void* data, std::uint64_t size) {
  return {static_cast<std::byte*>(data), static_cast<std::size_t>(size)};
}

inline std::int32_t report(const Status& status, ShimError* error) {
  if (status.ok()) return 0;
  error->offset = status.offset();
  error->chunk = status.chunk();
  std::snprintf(error->message, sizeof error->message, "%s: %s", numpact::to_string(status.kind()),
                status.what());
  return static_cast<std::int32_t>(status.kind());
}

// Runs `body`, which gives a Status, and keeps exceptions from crossing into C.
template <class Body>
std::int32_t guarded(ShimError* error, Body&& body) noexcept {
  try {
    return report(body(), error);
  } catch (const numpact::Error& caught) {
    return report(caught.status(), error);
  } catch (const std::bad_alloc&) {
    return report(Status(ErrorKind::kOutOfMemory, "in the shim"), error);
  } catch (const std::exception&) {
    return report(Status(ErrorKind::kInvalidArgument, "unexpected exception"), error);
  }
}
