// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "base/alignment.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/cvc_pco.hpp"
#include "gpu/cuda/cvc_staging.hpp"
#include "numpact/cuda.hpp"

namespace numpact::cuda {
namespace {

using cvc::Dtype;
using cvc::ReadConfig;
using cvc::Reader;
using cvc::RowRange;
using cvc::StoredSlice;

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

bool is_float(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16;
}

gpu::Out out_of(Dtype dtype) {
  return dtype == Dtype::kFloat16    ? gpu::Out::kHalf
         : dtype == Dtype::kBFloat16 ? gpu::Out::kBFloat
                                     : gpu::Out::kFloat;
}

// Checks the output; sets a stride of 0.
Status check_rows(DeviceRows& out, std::uint64_t dimension, std::uint64_t rows) {
  if (out.dimension != dimension)
    return invalid("the output's dimension is not that of the column");
  if (out.count < rows) return Status(ErrorKind::kOutputTooSmall, "the output has too few rows");
  if (out.stride == 0) out.stride = dimension;
  if (out.stride < dimension) return invalid("the output's rows overlap");
  if (out.stride > UINT32_MAX && rows > 1) {
    return Status(ErrorKind::kLimitExceeded, "rows more than 2^32 values apart");
  }
  if (rows == 0) return {};
  if (!is_aligned_for(out.data, cvc::size_of(out.type))) {
    return invalid("the output is not aligned for its type");
  }
  constexpr std::uint64_t kMaxOutputValues = std::uint64_t{1} << 60;
  if (out.stride != 0 && out.count > kMaxOutputValues / out.stride) {
    return invalid("the output is larger than memory can be");
  }
  return {};
}

gpu::OutputPlace place_of(const DeviceRows& out, std::uint64_t row) {
  return {static_cast<std::byte*>(out.data) + row * out.stride * cvc::size_of(out.type),
          out_of(out.type), out.stride};
}

DeviceRows from_row(DeviceRows out, std::uint64_t row) {
  out.data = place_of(out, row).data;
  return out;
}

// The same rule as the Reader's: integers keep their type, floats convert to any type of floats.
Status check_type(const StoredSlice& slice, Dtype out) {
  const bool keeps_type = !gpu::has_tasks(slice) && !is_float(slice.dtype);
  if (keeps_type ? out == slice.dtype : is_float(out)) return {};
  return Status(ErrorKind::kTypeMismatch, "the values cannot be had as that type");
}

Status check_range(const StoredSlice& slice, const RowRange& rows, std::uint64_t out_row,
                   const DeviceRows& out) {
  if (rows.first > slice.rows || rows.count > slice.rows - rows.first) {
    return invalid("rows past the end of the slice");
  }
  if (out_row > out.count || rows.count > out.count - out_row) {
    return Status(ErrorKind::kOutputTooSmall, "the output has too few rows");
  }
  if (slice.dimension != out.dimension) {
    return invalid("the output's dimension is not that of the column");
  }
  return check_type(slice, out.type);
}

}  // namespace

namespace {

// Decodes rows on the CPU with decode(rows, output), as many at a time as fit the pinned buffer,
// and queues their copies.
template <class F>
Status copy_rows(Staging& staging, const DeviceRows& out, const RowRange& rows,
                 std::uint64_t out_row, const F& decode) {
  const std::size_t size = cvc::size_of(out.type);
  const std::size_t width = static_cast<std::size_t>(out.dimension) * size;
  const std::uint64_t rows_per_copy =
      std::max<std::uint64_t>(1, staging.host_rows_capacity() / width);
  for (std::uint64_t done = 0; done < rows.count;) {
    const RowRange some{rows.first + done, std::min(rows_per_copy, rows.count - done)};
    HostRows host;
    host.out = static_cast<std::byte*>(out.data) + (out_row + done) * out.stride * size;
    host.pitch = static_cast<std::size_t>(out.stride) * size;
    host.width = width;
    host.rows = static_cast<std::size_t>(some.count);
    NUMPACT_TRY(staging.add_host_rows(host, [&](std::byte* at) {
      return decode(some, cvc::MutableRows(out.type, at, some.count, out.dimension));
    }));
    done += some.count;
  }
  return {};
}

}  // namespace

struct CvcDecoder::Impl {
  Impl(int number, std::size_t bytes)
      : device(number), staging(std::max<std::size_t>(bytes, std::size_t{1} << 16)) {}

  // The arguments of a call.
  struct Call {
    const Reader& reader;
    std::size_t column;
    DeviceRows out;
    const CvcConfig& config;
    Executor* executor;
  };

  // The executor of a call. Own threads are kept from call to call.
  Executor* executor_of(const CvcConfig& config) {
    if (config.executor != nullptr || config.threads == 1) return config.executor;
    if (own == nullptr || own_threads != config.threads) {
      own = std::make_unique<ThreadExecutor>(config.threads);
      own_threads = config.threads;
    }
    return own.get();
  }

  Status check_queue(const Queue& queue) const {
    return queue.device == device ? Status() : invalid("the queue is another device's");
  }

  // Calls f, which queues work, and waits for all of it. Returns the first error.
  template <class F>
  Status run(const DeviceRows& out, Source source, const Queue& queue, Executor* executor,
             const F& f) {
    const TaskPool pool(1, executor);
    stream = static_cast<cudaStream_t>(queue.stream);
    NUMPACT_TRY(staging.begin(out_of(out.type), source, stream, pool));
    pco.begin(pool);
    Status status = f();
    if (status.ok()) status = staging.flush();
    for (const Status& waited : {staging.wait(), pco.wait(stream)}) {
      if (status.ok()) status = waited;
    }
    return status;
  }

  Status decode_slice(const SliceRows& some, std::uint64_t index, const DeviceRows& out) {
    if (some.slice->compression == cvc::Compression::kPco) {
      return pco.add(*some.slice, index, some.rows, from_row(out, some.out_row), stream);
    }
    if (gpu::has_tasks(*some.slice)) {
      return staging.add({some.slice, some.rows, index}, place_of(out, some.out_row));
    }
    const auto decode = [&](const RowRange& rows, const cvc::MutableRows& to) {
      return cvc::decode_slice(*some.slice, rows, to);
    };
    return copy_rows(staging, out, some.rows, some.out_row, decode).at_chunk(index);
  }
  Status read_chunk_part(const Call& call, std::size_t chunk, const RowRange& rows,
                         std::uint64_t out_row);
  Status read_on_host(const Call& call, const RowRange& rows, std::uint64_t out_row, bool verify);
  Status read(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
              DeviceRows out, const Queue& queue, const CvcConfig& config);

  int device;
  std::unique_ptr<ThreadExecutor> own;
  unsigned own_threads = 1;
  Staging staging;
  PcoSlices pco;
  cudaStream_t stream = nullptr;  // stream of the current call
};

namespace {

// Divides ranges at chunk boundaries and calls f(chunk, rows of the file, row of the output).
template <class F>
Status for_chunk_parts(const Reader& reader, std::span<const RowRange> ranges, const F& f) {
  std::uint64_t out_row = 0;
  for (RowRange range : ranges) {
    while (range.count > 0) {
      const std::size_t chunk = reader.chunk_of(range.first);
      const cvc::Chunk& of = reader.info().chunks[chunk];
      const std::uint64_t left = of.first_row + of.rows - range.first;
      const RowRange part{range.first, std::min(range.count, left)};
      NUMPACT_TRY(f(chunk, part, out_row));
      range.first += part.count;
      range.count -= part.count;
      out_row += part.count;
    }
  }
  return {};
}

// Sets `mapped` to the bytes from the first slice to the last if the file is in memory; otherwise
// it is left empty. A file is in memory if two requests for a slice return the same address.
Status find_mapped(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
                   std::span<const std::byte>& mapped) {
  const std::byte* first = nullptr;
  const std::byte* end = nullptr;
  std::optional<bool> is_in_memory;
  const Status status = for_chunk_parts(
      reader, ranges, [&](std::size_t chunk, const RowRange&, std::uint64_t) -> Status {
        if (is_in_memory == false) return {};
        StoredSlice slice;
        NUMPACT_TRY(reader.stored_slice(chunk, column).into(slice));
        if (!is_in_memory) {
          StoredSlice again;
          NUMPACT_TRY(reader.stored_slice(chunk, column).into(again));
          is_in_memory = again.bytes.data() == slice.bytes.data();
        }
        const std::byte* const data = slice.bytes.data();
        first = first == nullptr ? data : std::min(first, data);
        end = end == nullptr ? data + slice.bytes.size() : std::max(end, data + slice.bytes.size());
        return {};
      });
  NUMPACT_TRY(status);
  if (is_in_memory == true) mapped = {first, end};
  return {};
}

}  // namespace

Status CvcDecoder::Impl::read_on_host(const Call& call, const RowRange& rows, std::uint64_t out_row,
                                      bool verify) {
  return copy_rows(
      staging, call.out, rows, out_row, [&](const RowRange& some, const cvc::MutableRows& to) {
        ReadConfig config;
        config.verify = verify && some.first == rows.first;  // verifies the whole chunk, once
        config.executor = call.executor;
        const cvc::Target target{to, call.column};
        return call.reader.read({&some, 1}, {&target, 1}, config).status();
      });
}

Status CvcDecoder::Impl::read_chunk_part(const Call& call, std::size_t chunk, const RowRange& rows,
                                         std::uint64_t out_row) {
  const cvc::Info& info = call.reader.info();
  const bool is_whole = info.columns.size() == 1 && rows.count == info.chunks[chunk].rows;
  ReadConfig config;
  config.verify = call.config.verify || is_whole;
  config.executor = call.executor;
  StoredSlice slice;
  NUMPACT_TRY(call.reader.stored_slice(chunk, call.column, config).into(slice));
  NUMPACT_TRY(check_type(slice, call.out.type).at_chunk(chunk));
  const RowRange rows_of_slice{rows.first - slice.first_row, rows.count};
  if (slice.compression == cvc::Compression::kPco) {
    return pco.add(slice, chunk, rows_of_slice, from_row(call.out, out_row), stream);
  }
  if (!gpu::has_tasks(slice)) return read_on_host(call, rows, out_row, config.verify);
  return staging.add({&slice, rows_of_slice, chunk}, place_of(call.out, out_row));
}

Status CvcDecoder::Impl::read(const Reader& reader, std::span<const RowRange> ranges,
                              std::size_t column, DeviceRows out, const Queue& queue,
                              const CvcConfig& config) {
  NUMPACT_TRY(check_queue(queue));
  const cvc::Info& info = reader.info();
  if (column >= info.columns.size()) return invalid("the file has no such column");
  std::uint64_t rows = 0;
  for (const RowRange& range : ranges) {
    if (range.first > info.rows || range.count > info.rows - range.first) {
      return invalid("rows past the end of the file");
    }
    if (range.count > (std::uint64_t{1} << 62) - rows) return invalid("too many rows");
    rows += range.count;
  }
  NUMPACT_TRY(check_rows(out, info.columns[column].dimension, rows));
  if (out.dimension == 0 || rows == 0) return {};
  const CurrentDevice current(device);
  NUMPACT_TRY(current.status());
  RegisteredMemory registered;
  Source source = Source::kAny;
  if (config.transfer == Transfer::kMapped) {
    std::span<const std::byte> mapped;
    NUMPACT_TRY(find_mapped(reader, ranges, column, mapped));
    if (!is_page_locked(mapped)) {
      NUMPACT_TRY(RegisteredMemory::take(mapped, device).into(registered));
    }
    if (!mapped.empty()) source = Source::kRegistered;
  }
  const Call call{reader, column, out, config, executor_of(config)};
  return run(out, source, queue, call.executor, [&] {
    return for_chunk_parts(reader, ranges,
                           [&](std::size_t chunk, const RowRange& part, std::uint64_t out_row) {
                             return read_chunk_part(call, chunk, part, out_row);
                           });
  });
}

CvcDecoder::CvcDecoder(int device, std::size_t buffer_bytes)
    : impl_(std::make_unique<Impl>(device, buffer_bytes)) {}

CvcDecoder::~CvcDecoder() {
  if (impl_ == nullptr) return;
  const CurrentDevice current(impl_->device);
  impl_.reset();
}

CvcDecoder::CvcDecoder(CvcDecoder&&) noexcept = default;
CvcDecoder& CvcDecoder::operator=(CvcDecoder&& other) noexcept {
  CvcDecoder before(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

Status CvcDecoder::read(const Reader& reader, std::span<const RowRange> ranges, std::size_t column,
                        const DeviceRows& out, const Queue& queue,
                        const CvcConfig& config) noexcept {
  return guarded([&] { return impl_->read(reader, ranges, column, out, queue, config); });
}

Status CvcDecoder::decode(std::span<const SliceRows> slices, const DeviceRows& rows,
                          const Queue& queue, const CvcConfig& config) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(impl_->check_queue(queue));
    DeviceRows out = rows;
    NUMPACT_TRY(check_rows(out, out.dimension, out.count));
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const SliceRows& some = slices[i];
      const StoredSlice& slice = *some.slice;
      NUMPACT_TRY(check_range(slice, some.rows, some.out_row, out).at_chunk(i));
    }
    if (out.dimension == 0) return {};
    const CurrentDevice current(impl_->device);
    NUMPACT_TRY(current.status());
    Executor* const executor = impl_->executor_of(config);
    return impl_->run(out, Source::kAny, queue, executor, [&]() -> Status {
      for (std::size_t i = 0; i < slices.size(); ++i) {
        const SliceRows& some = slices[i];
        NUMPACT_TRY(impl_->decode_slice(some, i, out));
      }
      return {};
    });
  });
}

Status CvcDecoder::decode_resident(std::span<const ResidentRows> slices, const DeviceRows& rows,
                                   const Queue& queue) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(impl_->check_queue(queue));
    DeviceRows out = rows;
    NUMPACT_TRY(check_rows(out, out.dimension, out.count));
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const ResidentRows& some = slices[i];
      NUMPACT_TRY(check_range(*some.slice, some.rows, some.out_row, out).at_chunk(i));
      if (!gpu::has_tasks(*some.slice)) {
        return invalid("pco, integers and long rotated rows are decoded by the CPU").at_chunk(i);
      }
    }
    if (out.dimension == 0) return {};
    const CurrentDevice current(impl_->device);
    NUMPACT_TRY(current.status());
    const TaskPool alone(1, nullptr);
    const auto stream = static_cast<cudaStream_t>(queue.stream);
    NUMPACT_TRY(impl_->staging.begin(out_of(out.type), Source::kAny, stream, alone));
    Status status;
    for (std::size_t i = 0; i < slices.size() && status.ok(); ++i) {
      const ResidentRows& some = slices[i];
      status = impl_->staging.add_resident({some.slice, some.rows, i}, place_of(out, some.out_row),
                                           static_cast<const std::byte*>(some.bytes));
    }
    if (status.ok()) status = impl_->staging.flush();
    if (!status.ok()) (void)impl_->staging.wait();  // leave nothing running after an error
    return status;
  });
}

Status CvcDecoder::finish() noexcept {
  return guarded([&]() -> Status {
    const CurrentDevice current(impl_->device);
    NUMPACT_TRY(current.status());
    return impl_->staging.wait();
  });
}

}  // namespace numpact::cuda
