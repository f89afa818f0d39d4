// SPDX-License-Identifier: Apache-2.0
// numpact::cuda from outside: on a machine with a GPU or without.
#include <cstdio>
#include <numpact/cuda.hpp>

int main() {
  int count = 0;
  const numpact::Status status = numpact::cuda::device_count().into(count);
  if (!status.ok() && status.kind() != numpact::ErrorKind::kUnavailable) return 1;
  numpact::cuda::CvcDecoder decoder;
  const numpact::Status finished = decoder.finish();
  std::printf("%d devices; %s\n", count, finished.ok() ? "fine" : finished.message().c_str());
  return finished.ok() == (count > 0) ? 0 : 1;
}
