// SPDX-License-Identifier: Apache-2.0
// How often the warps of a GPU execute each step of decoding a Pco file, counted by the emulation
// of the kernels, which needs no GPU. Run by bench/gpu_steps.py: bench_gpu_steps TASKS FILE...,
// with at most TASKS tasks in a group. Prints a line of JSON for each file.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "base/internal.hpp"
#include "gpu/emulation/emulate.hpp"
#include "numpact/file_access.hpp"
#include "numpact/numpact.hpp"

namespace numpact::bench {
namespace {

// In the order of gpu::Step.
constexpr const char* kNames[] = {
    "kGroups",       "kBatches",      "kTurns",      "kWidths",  "kTasks",
    "kOffsets",      "kBins",         "kBinsOfRest", "kMoments", "kLookbackRounds",
    "kConv1Batches", "kConv1Latents", "kConv1Terms", "kPuts",    "kDict",
    "kIntMult",      "kFloatMult",    "kFloatQuant", "kFloats"};
static_assert(std::size(kNames) == static_cast<std::size_t>(gpu::Step::kSteps));

void print(const char* name, const DevicePlan& plan, const gpu::StepCounts& steps) {
  std::uint64_t batches = 0;
  for (const PlannedTask& task : plan.tasks) batches += (task.n + 255) / 256;
  std::printf(R"({"file": "%s", "tasks": %zu, "batches": %llu, "steps": {)", name,
              plan.tasks.size(), static_cast<unsigned long long>(batches));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::printf(R"(%s"%s": %llu)", i == 0 ? "" : ", ", kNames[i],
                static_cast<unsigned long long>(steps[i]));
  }
  std::puts("}}");
}

int count_file(const char* path, std::uint32_t max_group) {
  const MappedFile file = MappedFile::open(path).value();
  const ChunkIndex index = ChunkIndex::build(file.bytes()).value();
  const DevicePlan plan = DevicePlanner(file.bytes(), index).next(~std::uint64_t{0}).value();
  const auto out = std::make_unique<std::byte[]>(plan.count * size_of(plan.type));
  const gpu::Emulation run =
      gpu::emulate(plan, file.bytes(), out.get(), gpu::LaneOrder::kUpwards, max_group);
  throw_if_error(run.status);
  if (run.lanes_diverged) return 1;
  print(path, plan, run.steps);
  return 0;
}

}  // namespace
}  // namespace numpact::bench

int main(int argc, char** argv) {
  try {
    const auto max_group = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 0);
    if (max_group < 1 || max_group > numpact::kMaxGroupTasks) {
      std::fputs("usage: bench_gpu_steps TASKS FILE...\n", stderr);
      return 2;
    }
    for (int i = 2; i < argc; ++i) {
      if (numpact::bench::count_file(argv[i], max_group) != 0) return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
