// SPDX-License-Identifier: Apache-2.0
// Common to the functions of numpact.h: the caller's structs as objects of the C++ library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/exceptions.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "capi/struct_fields.hpp"
#include "numpact/config.hpp"
#include "numpact/executor.hpp"
#include "numpact/numpact.h"
#include "numpact/types.hpp"

namespace numpact::internal::capi {

// Whether an error can be filled, or is not wanted: it is null, or its size is not set.
inline bool is_usable(const numpact_error* error) noexcept {
  return error == nullptr || has_whole_fields<numpact_error>(error->struct_size) ||
         error->struct_size < sizeof(std::size_t);
}

// Fills the caller's error, if there is one, and returns the status's number.
numpact_status report(const Status& status, numpact_error* error) noexcept;

// Calls f, which returns a Status; exceptions become errors.
template <class F>
numpact_status run(numpact_error* error, F&& f) noexcept {
  if (!is_usable(error)) return NUMPACT_INVALID_ARGUMENT;
  return report(guarded(std::forward<F>(f)), error);
}

template <class T>
Status check_struct(const T* given) {
  if (given == nullptr) return Status(ErrorKind::kInvalidArgument, "the struct is null");
  if (given->struct_size < sizeof(std::size_t)) {
    return Status(ErrorKind::kInvalidArgument, "struct_size is not set");
  }
  if (has_whole_fields<T>(given->struct_size)) return {};
  return Status(ErrorKind::kInvalidArgument, "struct_size ends within a field");
}

// A copy of a caller's struct that may be smaller or larger than this library's. Fields that the
// caller's lacks keep their defaults; kInvalidArgument if it has unknown ones that are not zero.
template <class T>
Status take_struct(const T* from, T& to) {
  if (from == nullptr) return {};
  NUMPACT_TRY(check_struct(from));
  const std::size_t own = sizeof(T);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = own; i < from->struct_size; ++i) {
    if (bytes[i] != 0) {
      return Status(ErrorKind::kInvalidArgument, "the struct has fields of a newer library");
    }
  }
  std::memcpy(&to, from, from->struct_size < own ? from->struct_size : own);
  to.struct_size = own;
  return {};
}

// Fills a caller's struct as far as its size allows.
template <class T>
void give_struct(T from, T* to) {
  const std::size_t size = to->struct_size < sizeof(T) ? to->struct_size : sizeof(T);
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, size);
}

// The error of a caller's function, which returned an errno, or another number but 0.
inline Status caller_status(int result, const char* what) {
  const Status status(ErrorKind::kIo, what);
  return result > 0 ? status.because_of(result) : status;
}

// A pointer that must be given.
template <class T>
Status check_given(const T* pointer) {
  if (pointer != nullptr) return {};
  return Status(ErrorKind::kInvalidArgument, "a pointer is null");
}

// The caller's allocator, or malloc.
class CallersMemory final : public std::pmr::memory_resource {
 public:
  explicit CallersMemory(const numpact_allocator* allocator) {
    if (allocator != nullptr) allocator_ = *allocator;
  }
  CallersMemory(const CallersMemory&) = default;
  CallersMemory& operator=(const CallersMemory&) = delete;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::optional<numpact_allocator> allocator_;
};

// The memory of the objects that belong to a context; without one, operator new.
CallersMemory memory_for(const numpact_context* context);

// Base of the objects that `..._create` returns: in the memory of its context, of which it keeps a
// copy, so that it may outlive the context.
struct Object {
  explicit Object(const CallersMemory& own) : memory(own) {}
  CallersMemory memory;
  bool is_in_use = false;    // a call that Use announces works with it
  bool is_released = false;  // it is destroyed when that call returns
};

template <class T>
void destroy_object(T* object) noexcept {
  if (object == nullptr) return;
  if (object->is_in_use) {
    object->is_released = true;
    return;
  }
  object->is_in_use = true;  // also for the caller's allocator
  CallersMemory memory = object->memory;
  object->~T();
  memory.deallocate(object, sizeof(T), alignof(T));
}

template <class T>
struct ObjectDeleter {
  void operator()(T* object) const noexcept { destroy_object(object); }
};
template <class T>
using ObjectPointer = std::unique_ptr<T, ObjectDeleter<T>>;

// A call with an object, or null, that serves one call at a time.
template <class T>
class Use {
 public:
  explicit Use(T* object) noexcept : object_(object) {
    if (object_ == nullptr) return;
    is_refused_ = object_->is_in_use;
    object_->is_in_use = true;
  }
  ~Use() {
    if (object_ == nullptr || is_refused_) return;
    object_->is_in_use = false;
    if (object_->is_released) destroy_object(object_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  Status status() const {
    if (!is_refused_) return {};
    return std::is_same_v<T, numpact_context> ? in_use("the context is in use by this call")
                                              : in_use();
  }

 private:
  T* object_;
  bool is_refused_ = false;
};

// T is an Object, constructed from the memory and the arguments.
template <class T, class... Arguments>
ObjectPointer<T> make_object(CallersMemory memory, Arguments&&... arguments) {
  void* const place = memory.allocate(sizeof(T), alignof(T));
  T* object = nullptr;
  NUMPACT_TRY_BLOCK { object = ::new (place) T(memory, std::forward<Arguments>(arguments)...); }
  NUMPACT_CATCH_ALL {
    memory.deallocate(place, sizeof(T), alignof(T));
    NUMPACT_RETHROW;
  }
  return ObjectPointer<T>(object);
}

// Gives the object to the caller, unless memory has failed: then nobody would destroy it.
template <class Pointer, class T>
Status give_object(Pointer object, T** to) {
  NUMPACT_TRY(memory_failure());
  *to = object.release();
  return {};
}

class CallersExecutor final : public Executor {
 public:
  explicit CallersExecutor(const numpact_executor& executor) : executor_(executor) {}
  unsigned concurrency() const noexcept override { return executor_.concurrency; }
  void run(std::size_t task_n, TaskFunction task, void* argument) override;

 private:
  numpact_executor executor_;
};

// An end as the caller's struct.
void give_end(const FileEnd& end, numpact_file_end* to);

// The configs of a call.
DecodeConfig decode_config(numpact_context* context);
Status encode_config(numpact_context* context, const numpact_encode_options* options,
                     EncodeConfig& config);

const Recipe* recipe_in(const numpact_recipe* recipe);

inline std::span<const std::byte> bytes_of(const void* bytes, std::size_t size) {
  return {static_cast<const std::byte*>(bytes), size};
}
inline std::span<std::byte> output_of(void* bytes, std::size_t size) {
  return {static_cast<std::byte*>(bytes), size};
}

Status make_trailer_spec(std::int32_t kind, unsigned restart_log, TrailerSpec& spec);
Status check_type(numpact_type type);
Status make_view(numpact_type type, const void* numbers, std::size_t count, NumberView& view);
// The result has as many numbers as fit in `capacity` bytes.
Status make_output(numpact_type type, void* out, std::size_t capacity, MutableNumberView& view);

}  // namespace numpact::internal::capi

struct numpact_context : numpact::internal::capi::Object {
  numpact_context(const numpact::internal::capi::CallersMemory& own,
                  const numpact_context_options& options);

  numpact_context_options options;
  std::optional<numpact::internal::capi::CallersExecutor> executor;
  numpact::EncodeContext encode;
  numpact::DecodeContext decode;
  numpact::FileEnd file_end;  // that the last call has found
};

namespace numpact::internal::capi {

// A call with a context, or null: the caller's functions that it runs cannot use the context.
template <class F>
numpact_status run(numpact_context* context, numpact_error* error, F&& f) noexcept {
  return run(error, [&]() -> Status {
    const Use use(context);
    NUMPACT_TRY(use.status());
    if (context != nullptr) context->file_end = {};
    return f();
  });
}

// A call with an object that serves one call at a time, as does the context that it uses, if any.
template <class T, class F>
numpact_status run_with(T* object, numpact_error* error, F&& f) noexcept {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(object));
    const Use use(object);
    NUMPACT_TRY(use.status());
    if constexpr (requires { object->context; }) {
      const Use use_of_context(object->context);
      NUMPACT_TRY(use_of_context.status());
      return f();
    } else {
      return f();
    }
  });
}

inline EncodeContext* encode_context(numpact_context* context) {
  return context != nullptr ? &context->encode : nullptr;
}
inline DecodeContext* decode_context(numpact_context* context) {
  return context != nullptr ? &context->decode : nullptr;
}

}  // namespace numpact::internal::capi
