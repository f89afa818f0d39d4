// SPDX-License-Identifier: Apache-2.0
// Appending to a file without a copy, and repair of files whose writer was stopped.
#include <cerrno>

#include "api/decode_checks.hpp"
#include "api/file_plan.hpp"
#include "api/io_error.hpp"
#include "api/write_all.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/file_access.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "pco/encode/choice.hpp"
#include "platform/files.hpp"

namespace numpact {
namespace {

// A locked file that is written at any offset.
class LockedFile {
 public:
  LockedFile() = default;
  ~LockedFile() {
    if (descriptor_ >= 0) platform::close_file(descriptor_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  Status open(const std::string& path, const LockConfig& config) {
    NUMPACT_TRY(lock_.lock(path, config));
    if (!lock_.has_file()) return io_error("there is no such file");
    descriptor_ = platform::open_file(lock_.path(), platform::Access::kReadWrite);
    return descriptor_ >= 0 ? Status() : write_error(errno, "the file cannot be opened");
  }
  const std::string& path() const { return lock_.path(); }

  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    return write_all(descriptor_, offset, bytes, "writing the file failed");
  }
  Status resize(std::uint64_t bytes) {
    if (platform::resize_file(descriptor_, bytes)) return {};
    return write_error(errno, "the file's length cannot be set");
  }
  Status sync() {
    if (platform::sync_file(descriptor_)) return {};
    return write_error(errno, "the file cannot be synced");
  }
  // Carries out steps up to one that fails, whose index `failed` is set to.
  Status run(std::span<const FileStep> steps, std::size_t& failed) {
    for (failed = 0; failed < steps.size(); ++failed) NUMPACT_TRY(run(steps[failed]));
    return {};
  }

 private:
  Status run(const FileStep& step) {
    switch (step.kind) {
      case FileStep::Kind::kWrite:
        return write_at(step.offset, step.bytes);
      case FileStep::Kind::kResize:
        return resize(step.offset);
      case FileStep::Kind::kSync:
        break;
    }
    return sync();
  }

  FileLock lock_;
  int descriptor_ = -1;
};

// After a failure the file is valid, but may lack its trailer if undoing failed too.
Status carry_out(const FilePlan& plan, LockedFile& file) {
  std::size_t failed = 0;
  const Status status = file.run(plan.steps, failed);
  std::size_t ignored = 0;
  if (!status.ok() && failed < plan.commit) (void)file.run(plan.undo, ignored);
  return status;
}

// Makes a trailer for a finished file by decoding it.
Status make_trailer(const TrailerSpec& spec, LockedFile& file) {
  MappedFile mapped;
  NUMPACT_TRY(MappedFile::open(file.path()).into(mapped));
  DecodeConfig config;
  config.progress = mapped.releasing();
  MadeTrailer made;
  NUMPACT_TRY(Trailer::make(mapped.bytes(), spec, config).into(made));
  std::size_t failed = 0;
  return file.run(trailer_steps(made.file_bytes, made.bytes), failed);
}

}  // namespace

Status append_in_place(const std::string& path, const NumberView& numbers,
                       const EncodeConfig& config, const LockConfig& lock) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_view(numbers));
    LockedFile file;
    NUMPACT_TRY(file.open(path, lock));
    FilePlan plan;
    {
      MappedFile mapped;
      NUMPACT_TRY(MappedFile::open(file.path()).into(mapped));
      NUMPACT_TRY(plan_append(mapped.bytes(), numbers, config, plan));
    }
    NUMPACT_TRY(carry_out(plan, file));
    return plan.trailer.is_requested() ? make_trailer(plan.trailer, file) : Status();
  });
}

Result<std::uint64_t> repair_file(const std::string& path, const TrailerSpec& trailer,
                                  const LockConfig& lock) noexcept {
  return guarded_value<std::uint64_t>([&](std::uint64_t& numbers) -> Status {
    EncodeConfig config;
    config.trailer = trailer;
    NUMPACT_TRY(check_specs(NumberType::kU8, config));
    LockedFile file;
    NUMPACT_TRY(file.open(path, lock));
    FilePlan plan;
    {
      MappedFile mapped;
      NUMPACT_TRY(MappedFile::open(file.path()).into(mapped));
      NUMPACT_TRY(plan_repair(mapped.bytes(), plan));
    }
    numbers = plan.numbers;
    NUMPACT_TRY(carry_out(plan, file));
    const bool is_changed = !plan.steps.empty();
    return is_changed && trailer.is_requested() ? make_trailer(trailer, file) : Status();
  });
}

}  // namespace numpact
