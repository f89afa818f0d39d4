// SPDX-License-Identifier: Apache-2.0
// Contexts, and the caller's memory, threads and options.
#include <cstdlib>
#include <new>
#include <vector>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/encoding.hpp"

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

Status make_paging(const numpact_encode_options& options, PagingSpec& paging) {
  if (options.page_counts != nullptr) {
    const std::size_t* const first = options.page_counts;
    paging = PagingSpec::exact(std::vector<std::size_t>(first, first + options.page_count_count));
  } else if (options.max_page_count != 0) {
    paging = PagingSpec::equal_pages_up_to(options.max_page_count);
  }
  return {};
}

}  // namespace

void* CallersMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!allocator_) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  void* const memory = allocator_->allocate(allocator_->opaque, bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void CallersMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (!allocator_) {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  } else {
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
  if (context->executor) config.executor = &*context->executor;
  return config;
}

Status encode_config(numpact_context* context, const numpact_encode_options* options,
                     EncodeConfig& config) {
  numpact_encode_options own;
  numpact_encode_options_init(&own);
  NUMPACT_TRY(take_struct(options, own));
  config.level = own.level;
  if (own.mode != nullptr) NUMPACT_TRY(parse_mode_spec(own.mode).into(config.mode));
  if (own.delta != nullptr) NUMPACT_TRY(parse_delta_spec(own.delta).into(config.delta));
  if (own.format < NUMPACT_FORMAT_1 || own.format > NUMPACT_FORMAT_4_1) {
    return Status(ErrorKind::kInvalidArgument, "there is no such format");
  }
  config.compatibility = static_cast<Compatibility>(own.format);
  config.favor_decode_speed = own.favor_decode_speed != 0;
  NUMPACT_TRY(make_paging(own, config.paging));
  NUMPACT_TRY(make_trailer_spec(own.trailer, own.restart_log, config.trailer));
  if (own.recipe != nullptr) config.recipe = recipe_in(own.recipe);
  if (own.max_size != 0) config.max_bytes = own.max_size;
  config.progress = progress_of(context);
  if (context != nullptr && context->executor) config.executor = &*context->executor;
  return {};
}

CallersMemory memory_for(const numpact_context* context) {
  return context != nullptr ? context->memory : CallersMemory(nullptr);
}

Status make_trailer_spec(std::int32_t kind, unsigned restart_log, TrailerSpec& spec) {
  switch (kind) {
    case NUMPACT_TRAILER_NONE:
      spec = {};
      return {};
    case NUMPACT_TRAILER_INDEX:
      spec = TrailerSpec::index();
      return {};
    case NUMPACT_TRAILER_RESTARTS:
      spec = TrailerSpec::restarts(restart_log);
      return {};
    default:
      return Status(ErrorKind::kInvalidArgument, "there is no such trailer");
  }
}

Status check_type(numpact_type type) {
  if (is_number_type(type)) return {};
  return Status(ErrorKind::kInvalidArgument, "there is no such number type");
}

Status make_view(numpact_type type, const void* numbers, std::size_t count, NumberView& view) {
  NUMPACT_TRY(check_type(type));
  view = NumberView(static_cast<NumberType>(type), numbers, count);
  return {};
}

Status make_output(numpact_type type, void* out, std::size_t capacity, MutableNumberView& view) {
  NUMPACT_TRY(check_type(type));
  const auto number_type = static_cast<NumberType>(type);
  view = MutableNumberView(number_type, out, capacity / size_of(number_type));
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
    *context = make_object<numpact_context>(CallersMemory(own.allocator), own).release();
    return {};
  });
}

void numpact_context_destroy(numpact_context* context) { destroy_object(context); }

void numpact_encode_options_init(numpact_encode_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->level = NUMPACT_DEFAULT_LEVEL;
  options->format = NUMPACT_FORMAT_4_1;
}

}  // extern "C"
