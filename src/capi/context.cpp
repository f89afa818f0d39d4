// SPDX-License-Identifier: Apache-2.0
// Contexts, and the caller's memory, threads and options.
#include <cstdlib>
#include <new>

#include "base/try.hpp"
#include "capi/capi.hpp"

namespace numpact::internal::capi {
namespace {

Status check_allocator(const numpact_allocator& allocator) {
  if (allocator.allocate != nullptr && allocator.release != nullptr) return {};
  return Status(ErrorKind::kInvalidArgument, "the allocator lacks a function");
}

Status check_executor(const numpact_executor& executor) {
  if (executor.run != nullptr) return {};
  return Status(ErrorKind::kInvalidArgument, "the executor lacks its function");
}

ProgressCallback progress_of(const numpact_context* context) {
  if (context == nullptr || context->options.progress == nullptr) return {};
  return [context](const Progress& progress) {
    const numpact_context_options& options = context->options;
    return options.progress(options.progress_opaque, progress.numbers, progress.bytes) != 0;
  };
}

// Without exceptions all work is done on the calling thread.
#ifdef NUMPACT_NO_EXCEPTIONS
constexpr bool kTakesExecutors = false;
#else
constexpr bool kTakesExecutors = true;
#endif

}  // namespace

void* CallersMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!allocator_) return plain_memory()->allocate(bytes, alignment);
  void* const memory = allocator_->allocate(allocator_->opaque, bytes, alignment);
  return memory != nullptr ? memory : memory_refused(bytes, alignment);
}

void CallersMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (!allocator_) {
    plain_memory()->deallocate(memory, bytes, alignment);
  } else if (!give_back(memory)) {
    allocator_->release(allocator_->opaque, memory, bytes, alignment);
  }
}

void CallersExecutor::run(std::size_t task_n, TaskFunction task, void* argument) {
  executor_.run(executor_.opaque, task_n, task, argument);
}

DecodeConfig decode_config(numpact_context* context) {
  DecodeConfig config;
  if (context == nullptr) return config;
  config.limits.max_numbers = context->options.max_numbers;
  config.limits.max_output_bytes = context->options.max_output_bytes;
  config.limits.max_memory = context->options.max_memory;
  config.progress = progress_of(context);
  if (kTakesExecutors && context->executor) config.executor = &*context->executor;
  config.file_end = &context->file_end;
  return config;
}

void give_end(const FileEnd& end, numpact_file_end* to) {
  numpact_file_end made = {};
  made.trailer = static_cast<std::int32_t>(end.trailer);
  made.is_unfinished = end.is_unfinished ? 1 : 0;
  made.file_size = end.file_bytes;
  made.foreign_offset = end.foreign_at.value_or(NUMPACT_UNKNOWN);
  const std::string_view warning = end.warning();
  made.warning = warning.empty() ? nullptr : warning.data();
  give_struct(made, to);
}

CallersMemory memory_for(const numpact_context* context) {
  return context != nullptr ? context->memory : CallersMemory(nullptr);
}

Status check_type(numpact_type type) {
  if (is_number_type(type)) return {};
  return Status(ErrorKind::kInvalidArgument,
                "there is no such number type: they are NUMPACT_U32 (1) to NUMPACT_I8 (11)");
}

Status make_view(numpact_type type, const void* numbers, std::size_t count, NumberView& view) {
  NUMPACT_TRY(check_type(type));
  view = NumberView(static_cast<NumberType>(type), numbers, count);
  return {};
}

Status make_output(numpact_type type, void* out, std::size_t capacity, MutableNumberView& view) {
  NUMPACT_TRY(check_type(type));
  const auto number_type = static_cast<NumberType>(type);
  view = MutableNumberView(number_type, out, numbers_in(capacity, number_type));
  return {};
}

}  // namespace numpact::internal::capi

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

numpact_context::numpact_context(const CallersMemory& own, const numpact_context_options& given)
    : Object(own), options(given), encode(&memory), decode(&memory) {
  if (given.executor != nullptr) executor.emplace(*given.executor);
  // The caller's structs may be gone after numpact_context_create.
  options.allocator = nullptr;
  options.executor = nullptr;
}

extern "C" {

void numpact_context_options_init(numpact_context_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->max_numbers = NUMPACT_UNKNOWN;
  options->max_output_bytes = NUMPACT_UNKNOWN;
  options->max_memory = NUMPACT_UNKNOWN;
}

numpact_status numpact_context_create(const numpact_context_options* options,
                                      numpact_context** context, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(context));
    numpact_context_options own;
    numpact_context_options_init(&own);
    NUMPACT_TRY(take_struct(options, own));
    numpact_allocator allocator = {};
    numpact_executor executor = {};
    if (own.allocator != nullptr) {
      NUMPACT_TRY(take_struct(own.allocator, allocator));
      NUMPACT_TRY(check_allocator(allocator));
      own.allocator = &allocator;
    }
    if (own.executor != nullptr) {
      NUMPACT_TRY(take_struct(own.executor, executor));
      NUMPACT_TRY(check_executor(executor));
      own.executor = &executor;
    }
    return give_object(make_object<numpact_context>(CallersMemory(own.allocator), own), context);
  });
}

void numpact_context_destroy(numpact_context* context) { destroy_object(context); }

numpact_status numpact_context_file_end(const numpact_context* context, numpact_file_end* end,
                                        numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(context));
    if (context->is_in_use) return in_use("the context is in use by this call");
    NUMPACT_TRY(check_struct(end));
    give_end(context->file_end, end);
    return {};
  });
}

}  // extern "C"
