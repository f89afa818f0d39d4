// SPDX-License-Identifier: Apache-2.0
#include "numpact/cuda.hpp"

#include <utility>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/runtime.hpp"

namespace numpact::cuda {

namespace {

// The runtime calls a missing driver too old. Such a system has no version of it.
const char* why_unavailable(cudaError_t error) noexcept {
  int version = 0;
  const bool has_driver = cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
  const bool is_about_driver =
      error == cudaErrorInsufficientDriver || error == cudaErrorStubLibrary;
  return is_about_driver && !has_driver ? "no NVIDIA driver found" : cudaGetErrorString(error);
}

}  // namespace

Status status_of(cudaError_t error) noexcept {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();  // clear the error, so that later calls do not report it
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorStubLibrary:
      return Status(ErrorKind::kUnavailable, why_unavailable(error));
    case cudaErrorMemoryAllocation:
      return Status(ErrorKind::kOutOfMemory, "out of memory of the device");
    default:
      return Status(ErrorKind::kDevice, cudaGetErrorString(error));
  }
}

Result<int> device_count() noexcept {
  int count = 0;
  NUMPACT_TRY(status_of(cudaGetDeviceCount(&count)));
  return count;
}

Status wait(const Queue& queue) noexcept {
  const CurrentDevice current(queue.device);
  NUMPACT_TRY(current.status());
  return status_of(cudaStreamSynchronize(static_cast<cudaStream_t>(queue.stream)));
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ == nullptr) return;
  const CurrentDevice current(device_);
  (void)status_of(cudaFree(data_));
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_(other.device_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  return *this;
}

Result<DeviceBuffer> DeviceBuffer::allocate(int device, std::size_t bytes) noexcept {
  DeviceBuffer made;
  made.device_ = device;
  const CurrentDevice current(device);
  NUMPACT_TRY(current.status());
  if (bytes > 0) NUMPACT_TRY(status_of(cudaMalloc(&made.data_, bytes)));
  made.size_ = bytes;
  return made;
}

namespace {

// Whether this process has a context on the device. Making a device without one current would
// create a context, which takes hundreds of megabytes of its memory.
bool has_context(int device) {
  using GetState = int (*)(int device, unsigned* flags, int* is_active);
  constexpr unsigned kMinCudaVersion = 7000;  // version that introduced the function
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const Status looked_up = status_of(cudaGetDriverEntryPointByVersion(
      "cuDevicePrimaryCtxGetState", &function, kMinCudaVersion, cudaEnableDefault, &found));
  if (!looked_up.ok() || found != cudaDriverEntryPointSuccess || function == nullptr) return true;
  unsigned flags = 0;
  int is_active = 0;
  return reinterpret_cast<GetState>(function)(device, &flags, &is_active) != 0 || is_active != 0;
}

}  // namespace

CurrentDevice::CurrentDevice(int device) noexcept {
  status_ = status_of(cudaGetDevice(&before_));
  if (!status_.ok() || before_ == device) return;
  status_ = status_of(cudaSetDevice(device));
  is_changed_ = status_.ok();
}

CurrentDevice::~CurrentDevice() {
  if (is_changed_ && has_context(before_)) (void)status_of(cudaSetDevice(before_));
}

// ---- memory of the host ----

Result<RegisteredMemory> RegisteredMemory::take(std::span<const std::byte> bytes,
                                                int device) noexcept {
  constexpr std::size_t kPageBytes = 4096;  // memory is registered in whole pages
  RegisteredMemory registered;
  if (bytes.empty()) return registered;
  const CurrentDevice current(device);
  NUMPACT_TRY(current.status());
  int supports_read_only = 0;
  NUMPACT_TRY(status_of(cudaDeviceGetAttribute(&supports_read_only,
                                               cudaDevAttrHostRegisterReadOnlySupported, device)));
  const std::size_t past = reinterpret_cast<std::uintptr_t>(bytes.data()) % kPageBytes;
  auto* const data = const_cast<std::byte*>(bytes.data()) - past;
  const unsigned flags =
      supports_read_only != 0 ? cudaHostRegisterReadOnly : cudaHostRegisterDefault;
  NUMPACT_TRY(status_of(cudaHostRegister(data, past + bytes.size(), flags)));
  registered.data_ = data;
  return registered;
}

RegisteredMemory::~RegisteredMemory() {
  if (data_ != nullptr) (void)status_of(cudaHostUnregister(data_));
}

RegisteredMemory::RegisteredMemory(RegisteredMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)) {}

RegisteredMemory& RegisteredMemory::operator=(RegisteredMemory&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

bool is_page_locked(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return false;
  for (const std::byte* const at : {&bytes.front(), &bytes.back()}) {
    cudaPointerAttributes attributes{};
    if (!status_of(cudaPointerGetAttributes(&attributes, at)).ok()) return false;
    if (attributes.type != cudaMemoryTypeHost) return false;
  }
  return true;
}

Status DeviceMemory::take(std::size_t bytes, cudaStream_t stream) noexcept {
  release();
  if (bytes == 0) return {};
  NUMPACT_TRY(status_of(cudaMallocAsync(&data_, bytes, stream)));
  size_ = bytes;
  stream_ = stream;
  return {};
}

void DeviceMemory::release() noexcept {
  if (data_ != nullptr) (void)status_of(cudaFreeAsync(data_, stream_));
  data_ = nullptr;
  size_ = 0;
}

Status PinnedMemory::take(std::size_t bytes) noexcept {
  if (bytes <= size_) return {};
  // Allocation is slow: grow by a quarter more than needed, to grow less often.
  if (size_ > 0) bytes += bytes / 4;
  release();
  const Status status = status_of(cudaMallocHost(&data_, bytes));
  if (status.kind() == ErrorKind::kOutOfMemory) {
    return Status(ErrorKind::kOutOfMemory, "out of page-locked memory of the host");
  }
  NUMPACT_TRY(status);
  size_ = bytes;
  return {};
}

void PinnedMemory::release() noexcept {
  if (data_ != nullptr) (void)status_of(cudaFreeHost(data_));
  data_ = nullptr;
  size_ = 0;
}

Event::~Event() {
  if (event_ != nullptr) (void)status_of(cudaEventDestroy(event_));
}

Status Event::record(cudaStream_t stream) noexcept {
  if (event_ == nullptr) {
    NUMPACT_TRY(status_of(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)));
  }
  return status_of(cudaEventRecord(event_, stream));
}

Status Event::make_wait(cudaStream_t stream) const noexcept {
  if (event_ == nullptr) return {};
  return status_of(cudaStreamWaitEvent(stream, event_));
}

Status Event::wait() const noexcept {
  if (event_ == nullptr) return {};
  return status_of(cudaEventSynchronize(event_));
}

}  // namespace numpact::cuda
