// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "base/internal.hpp"
#include "gpu/lazy_runtime.hpp"

namespace {

// With NUMPACT_LAZY=all every stream executes as late as possible; otherwise only the default
// stream does, and streams that the program created execute as early as possible.
bool is_all_lazy() {
  const char* const text = std::getenv("NUMPACT_LAZY");
  return text != nullptr && std::string_view(text) == "all";
}

struct Stream;

struct Mark {
  Stream* stream = nullptr;
  std::uint64_t position = 0;  // reached when this many operations of the stream are done
};

struct Stream {
  struct Operation {
    std::function<void()> run;
    Mark after;  // waits for this mark of another stream
  };
  std::deque<Operation> queued;
  std::uint64_t queued_n = 0;  // operations that were queued so far
  std::uint64_t done = 0;
  bool is_lazy = true;

  bool is_reached(const Mark& mark) const {
    return mark.stream == nullptr || mark.stream->done >= mark.position;
  }
  void run_next() {
    Operation operation = std::move(queued.front());
    queued.pop_front();
    if (!is_reached(operation.after)) operation.after.stream->run_until(operation.after.position);
    if (operation.run) operation.run();
    ++done;
  }
  void run_until(std::uint64_t position) {
    while (done < position && !queued.empty()) run_next();
  }
  void enqueue(Operation operation) {
    queued.push_back(std::move(operation));
    ++queued_n;
    while (!is_lazy && !queued.empty() && is_reached(queued.front().after)) run_next();
  }
};

Stream& stream_of(cudaStream_t stream) {
  static Stream standard;
  return stream == nullptr ? standard : *reinterpret_cast<Stream*>(stream);
}

Mark& mark_of(cudaEvent_t event) { return *reinterpret_cast<Mark*>(event); }

using numpact::testing::LazyMemory;

struct Block {
  std::size_t bytes;
  LazyMemory* memory;
};
std::map<void*, Block>& blocks() {
  static std::map<void*, Block> all;
  return all;
}

cudaError_t allocate(void** at, std::size_t bytes, LazyMemory& memory) {
  const std::size_t size = (bytes + 255) / 256 * 256;
  if (size > memory.limit - std::min(memory.used, memory.limit)) return cudaErrorMemoryAllocation;
  *at = std::aligned_alloc(256, size);
  if (*at == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*at, 0x5a, size);
  memory.used += size;
  memory.peak = std::max(memory.peak, memory.used);
  blocks()[*at] = {size, &memory};
  return cudaSuccess;
}

void deallocate(void* at) {
  const auto found = blocks().find(at);
  if (found == blocks().end()) return;
  found->second.memory->used -= found->second.bytes;
  blocks().erase(found);
  std::free(at);
}

}  // namespace

namespace numpact::testing {

void enqueue(cudaStream_t stream, std::function<void()> run) {
  stream_of(stream).enqueue({std::move(run), {}});
}

LazyMemory& lazy_device_memory() {
  static LazyMemory memory;
  return memory;
}
LazyMemory& lazy_pinned_memory() {
  static LazyMemory memory;
  return memory;
}
LazyMemory& lazy_registered_memory() {
  static LazyMemory memory;
  return memory;
}

}  // namespace numpact::testing

extern "C" {

cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error"; }
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  *function = nullptr;
  *found = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** at, std::size_t bytes) {
  return allocate(at, bytes, numpact::testing::lazy_device_memory());
}
cudaError_t cudaMallocHost(void** at, std::size_t bytes) {
  return allocate(at, bytes, numpact::testing::lazy_pinned_memory());
}
cudaError_t cudaMallocAsync(void** at, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(at, bytes);
}
cudaError_t cudaFree(void* at) {
  deallocate(at);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) { return cudaFree(at); }
cudaError_t cudaFreeAsync(void* at, cudaStream_t stream) {
  stream_of(stream).enqueue({[at] { deallocate(at); }, {}});
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* at, std::size_t bytes, unsigned) {
  LazyMemory& memory = numpact::testing::lazy_registered_memory();
  if (bytes > memory.limit - std::min(memory.used, memory.limit)) return cudaErrorNotSupported;
  if (!blocks().try_emplace(at, Block{bytes, &memory}).second) {
    return cudaErrorHostMemoryAlreadyRegistered;
  }
  memory.used += bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* at) {
  const auto found = blocks().find(at);
  if (found == blocks().end()) return cudaErrorHostMemoryNotRegistered;
  found->second.memory->used -= found->second.bytes;
  blocks().erase(found);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
  *attributes = {};
  auto found = blocks().upper_bound(const_cast<void*>(at));
  if (found == blocks().begin()) return cudaSuccess;
  --found;
  if (at >= static_cast<std::byte*>(found->first) + found->second.bytes) return cudaSuccess;
  attributes->type = found->second.memory == &numpact::testing::lazy_device_memory()
                         ? cudaMemoryTypeDevice
                         : cudaMemoryTypeHost;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  auto* const made = new Stream;
  made->is_lazy = is_all_lazy();
  *stream = reinterpret_cast<cudaStream_t>(made);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream_of(stream).run_until(stream_of(stream).queued_n);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  delete reinterpret_cast<Stream*>(stream);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaStreamSynchronize(nullptr); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Mark);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Mark*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Stream& of = stream_of(stream);
  mark_of(event) = {&of, of.queued_n};
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Mark mark = mark_of(event);
  if (mark.stream != nullptr) mark.stream->run_until(mark.position);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream_of(stream).enqueue({{}, mark_of(event)});
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  stream_of(stream).enqueue({[=] {
                               if (bytes > 0) std::memcpy(to, from, bytes);
                             },
                             {}});
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int byte, std::size_t bytes, cudaStream_t stream) {
  stream_of(stream).enqueue({[=] { std::memset(at, byte, bytes); }, {}});
  return cudaSuccess;
}
cudaError_t cudaMemset(void* at, int byte, std::size_t bytes) {
  std::memset(at, byte, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  stream_of(stream).enqueue({[=] {
                               for (std::size_t i = 0; i < rows; ++i) {
                                 std::memcpy(static_cast<std::byte*>(to) + i * to_pitch,
                                             static_cast<const std::byte*>(from) + i * from_pitch,
                                             width);
                               }
                             },
                             {}});
  return cudaSuccess;
}

}  // extern "C"
