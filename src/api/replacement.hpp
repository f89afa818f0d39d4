// SPDX-License-Identifier: Apache-2.0
// A new file beside another that takes its place, in one step, or goes away.
#ifndef NUMPACT_API_REPLACEMENT_HPP
#define NUMPACT_API_REPLACEMENT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "api/process.hpp"
#include "numpact/error.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/stream.hpp"

namespace numpact {

// It belongs to the process that made it. In a forked child it writes nothing, and its end leaves
// the new file alone, which the parent still has.
class Replacement final : public ByteSink {
 public:
  Replacement() = default;
  ~Replacement() override;
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  // For the file at `path`, or what it links to; there need not be one yet. The lock is taken for
  // the moment of replacing.
  Status open(const std::string& path, const LockConfig& lock);
  // For a file that is there and will be read: from now on nobody else replaces it.
  Status open_locked(const std::string& path, const LockConfig& lock);

  // The file that will be replaced.
  const std::string& path() const { return path_; }
  // Where the new one is until then.
  const std::string& temporary_path() const { return name_; }

  // Behind what was written so.
  Status write(std::span<const std::byte> bytes) override;
  // Anywhere; from any thread.
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // What is written from one place to another; they may overlap.
  Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes);
  // What is written next goes behind these bytes.
  Status resize(std::uint64_t bytes);

  // Takes the place, with the access of the file there; first, if asked, down to the disk.
  Status replace(bool sync = true);

 private:
  Status create();
  Status check_process() const;

  OwnProcess process_;
  LockConfig lock_config_;
  FileLock lock_;
  std::string path_;
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

}  // namespace numpact

#endif
