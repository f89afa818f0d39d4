// SPDX-License-Identifier: Apache-2.0
// Decoders of devices that no call is using.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace numpact::python {

// Their buffers are kept from call to call. Never destroyed, since at the end of the process the
// driver may be gone before. Decoder: made from the number of a device, movable.
template <class Decoder>
class Idle {
 public:
  static Idle& all() {
    static Idle* const one = new Idle;
    return *one;
  }
  Decoder take(int device) {
    const std::lock_guard lock(mutex_);
    std::vector<Decoder>& idle = idle_[device];
    if (idle.empty()) return Decoder(device);
    Decoder decoder = std::move(idle.back());
    idle.pop_back();
    return decoder;
  }
  void give_back(int device, Decoder decoder) {
    const std::lock_guard lock(mutex_);
    idle_[device].push_back(std::move(decoder));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<Decoder>> idle_;
};

}  // namespace numpact::python
