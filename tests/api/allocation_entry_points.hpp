// SPDX-License-Identifier: Apache-2.0
// Runs an entry point with every allocation failing in turn, alone and with all later ones: the
// result must be "out of memory" or the usual one, nothing may leak, and the objects involved must
// remain usable.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "api/counting_new.hpp"
#include "base/internal.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {

enum class Keeps { kNothing, kMemory };  // from call to call

struct EntryPoint {
  std::string name;
  std::function<Status()> call;
  Keeps keeps = Keeps::kNothing;
};

// Converts the exceptions of functions documented to throw.
template <class F>
Status caught(const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return Status(ErrorKind::kOutOfMemory, "");
  } catch (const Error& error) {
    return error.status();
  }
}

inline void expect_survives(const EntryPoint& entry_point, bool all_later) {
  SCOPED_TRACE(entry_point.name + (all_later ? ", from the k-th on" : ", the k-th"));
  ASSERT_OK(caught(entry_point.call));  // initializes what is allocated once per process
  fail_on = all_later;
  long failures = 0;
  for (long k = 0; k < 20000; ++k) {
    const std::size_t held = bytes_held;
    fail_in = k;
    const Status status = caught(entry_point.call);
    const bool reached = fail_in < 0;
    fail_in = -1;
    if (entry_point.keeps == Keeps::kNothing) {
      ASSERT_EQ(bytes_held, held) << "allocation " << k << " leaks";
    }
    if (!reached) {
      ASSERT_OK(status);
      fail_on = false;
      if (entry_point.keeps == Keeps::kNothing) {
        EXPECT_GT(failures, 0);
      }
      return;
    }
    if (!status.ok()) {
      ++failures;
      EXPECT_KIND(status, kOutOfMemory) << "allocation " << k;
    }
    if (!status.ok() && k % 8 == 0) {
      ASSERT_OK(caught(entry_point.call)) << "after allocation " << k;
    }
  }
  FAIL() << "never went through";
}

inline void expect_all_survive(const std::vector<EntryPoint>& entry_points) {
  for (const EntryPoint& entry_point : entry_points) {
    expect_survives(entry_point, false);
    expect_survives(entry_point, true);
  }
}

inline Status wrong(const char* what) { return Status(ErrorKind::kCorrupt, what); }

// A separate folder, so that leftover files are noticed.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(::testing::TempDir()) /
              ("numpact_alloc_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline void put(const std::string& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline Bytes get(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(stream)), {});
  return to_bytes(std::as_bytes(std::span(all)));
}

}  // namespace numpact::testing
