// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "api/replacement.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "cvc/file/file_writer.hpp"
#include "cvc/file/output.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cvc {
namespace {

class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::vector<std::byte>& out) : out_(out) {}

  Status reserve(std::uint64_t end) override {
    if (end > bytes_.max_size()) return Status(ErrorKind::kOutOfMemory, "out of memory");
    if (end > bytes_.capacity()) {
      bytes_.reserve(std::max(static_cast<std::size_t>(end), 2 * bytes_.capacity()));
    }
    if (end > bytes_.size()) bytes_.resize(static_cast<std::size_t>(end));
    return {};
  }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    return {};
  }
  Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) override {
    NUMPACT_TRY(reserve(to + bytes));
    std::memmove(bytes_.data() + to, bytes_.data() + from, static_cast<std::size_t>(bytes));
    return {};
  }
  Status finish(std::uint64_t bytes) override {
    bytes_.resize(static_cast<std::size_t>(bytes));
    out_ = std::move(bytes_);
    return {};
  }

 private:
  std::vector<std::byte>& out_;
  std::vector<std::byte> bytes_;
};

class FileOutput final : public Output {
 public:
  explicit FileOutput(bool sync) : sync_(sync) {}

  Status open(const std::string& path, const LockConfig& lock) { return file_.open(path, lock); }
  Status reserve(std::uint64_t) override { return {}; }  // holes read as zeros
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    return file_.write_at(offset, bytes);
  }
  Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) override {
    return file_.move(from, to, bytes);
  }
  Status finish(std::uint64_t bytes) override {
    NUMPACT_TRY(file_.resize(bytes));
    return file_.replace(sync_);
  }

 private:
  Replacement file_;
  bool sync_;
};

}  // namespace

struct Writer::Impl {
  Impl(std::unique_ptr<Output> where, const WriteConfig& config)
      : output(std::move(where)), file(*output, config) {}

  // Refuses all calls after an error or after the file was finished.
  template <class F>
  Status run(const F& f) noexcept {
    const InUse use(is_in_use);
    if (use.is_refused()) return in_use();
    if (is_over) {
      return Status(ErrorKind::kInvalidArgument,
                    "the file was finished, or could not be written on");
    }
    const Status status = guarded(f);
    is_over = !status.ok();
    return status;
  }

  std::unique_ptr<Output> output;
  FileWriter file;
  bool is_over = false;
  bool is_in_use = false;
};

namespace {

Status moved_from() { return Status(ErrorKind::kInvalidArgument, "the object was moved from"); }

template <class Impl, class F>
Status run_in(Impl* impl, const F& f) noexcept {
  return impl != nullptr ? impl->run(f) : moved_from();
}

}  // namespace

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(owned(std::move(impl))) {}

Result<Writer> Writer::create(std::vector<std::byte>& out, const WriteConfig& config) noexcept {
  std::unique_ptr<Impl> impl;
  const Status status = guarded([&]() -> Status {
    impl = std::make_unique<Impl>(std::make_unique<MemoryOutput>(out), config);
    return impl->file.begin();
  });
  if (!status.ok()) return status;
  return Writer(std::move(impl));
}

Result<Writer> Writer::create(const std::string& path, const WriteConfig& config) noexcept {
  std::unique_ptr<Impl> impl;
  const Status status = guarded([&]() -> Status {
    auto output = std::make_unique<FileOutput>(config.sync);
    FileOutput& file = *output;
    impl = std::make_unique<Impl>(std::move(output), config);
    NUMPACT_TRY(impl->file.begin());
    return file.open(path, config.lock);
  });
  if (!status.ok()) return status;
  return Writer(std::move(impl));
}

Status Writer::append(const Rows& rows) noexcept { return append({&rows, 1}); }

Status Writer::append(std::span<const Rows> columns) noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.append(columns); });
}

Status Writer::append_encoded(const EncodedChunk& chunk) noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.append_encoded(chunk); });
}

Status Writer::add_section(const RowRange& rows, std::string_view metadata) noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.add_section(rows, metadata); });
}

Status Writer::begin_section(std::string_view metadata) noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.begin_section(metadata); });
}

Status Writer::end_section() noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.end_section(); });
}

Status Writer::end_chunk() noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.end_chunk(); });
}

Status Writer::set_chunk(std::uint64_t chunk, const ChunkOptions& options) noexcept {
  return run_in(impl_.get(), [&] { return impl_->file.set_chunk(chunk, options); });
}

const std::string& Writer::error_place() const noexcept {
  static const std::string nowhere;
  return impl_ != nullptr ? impl_->file.error_place() : nowhere;
}

std::uint64_t Writer::rows() const noexcept { return impl_ != nullptr ? impl_->file.rows() : 0; }
std::uint64_t Writer::chunks() const noexcept {
  return impl_ != nullptr ? impl_->file.complete_chunks() : 0;
}

void Writer::count_rows_from(std::uint64_t row) noexcept {
  if (impl_ != nullptr) impl_->file.count_rows_from(row);
}

Result<WriteReport> Writer::finish() noexcept {
  if (impl_ == nullptr) return moved_from();
  WriteReport report;
  if (impl_->is_in_use) return in_use();
  const Status status = impl_->run([&] { return impl_->file.finish(report); });
  impl_->is_over = true;
  if (!status.ok()) return status;
  impl_->output.reset();
  return report;
}

}  // namespace numpact::cvc
