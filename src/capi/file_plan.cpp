// SPDX-License-Identifier: Apache-2.0
// Appending to files and repairing them, for programs that own their files.
#include "api/file_plan.hpp"
#include "base/try.hpp"
#include "capi/capi.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

static_assert(NUMPACT_STEP_WRITE == static_cast<int>(FileStep::Kind::kWrite));
static_assert(NUMPACT_STEP_RESIZE == static_cast<int>(FileStep::Kind::kResize));
static_assert(NUMPACT_STEP_SYNC == static_cast<int>(FileStep::Kind::kSync));

struct numpact_file_plan : Object {
  numpact_file_plan(const CallersMemory& own, FilePlan made) : Object(own), plan(std::move(made)) {}
  const std::vector<FileStep>& steps(bool is_undo) const {
    return is_undo ? plan.undo : plan.steps;
  }
  FilePlan plan;
};

extern "C" {

numpact_status numpact_file_plan_append(numpact_context* context, const void* file, size_t size,
                                        numpact_type type, const void* numbers, size_t count,
                                        const numpact_encode_options* options,
                                        numpact_file_plan** plan, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(plan));
    NumberView view;
    NUMPACT_TRY(make_view(type, numbers, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    FilePlan made;
    NUMPACT_TRY(plan_append(bytes_of(file, size), view, config, made));
    if (made.trailer.is_requested()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no trailer of this kind");
    }
    *plan = make_object<numpact_file_plan>(memory_for(context), std::move(made)).release();
    return {};
  });
}

numpact_status numpact_file_plan_repair(numpact_context* context, const void* file, size_t size,
                                        numpact_file_plan** plan, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(plan));
    FilePlan made;
    NUMPACT_TRY(plan_repair(bytes_of(file, size), made));
    *plan = make_object<numpact_file_plan>(memory_for(context), std::move(made)).release();
    return {};
  });
}

void numpact_file_plan_destroy(numpact_file_plan* plan) { destroy_object(plan); }

uint64_t numpact_file_plan_count(const numpact_file_plan* plan) { return plan->plan.numbers; }

size_t numpact_file_plan_step_count(const numpact_file_plan* plan, int is_undo) {
  return plan->steps(is_undo != 0).size();
}

size_t numpact_file_plan_commit_step(const numpact_file_plan* plan) { return plan->plan.commit; }

numpact_status numpact_file_plan_step(const numpact_file_plan* plan, int is_undo, size_t index,
                                      numpact_file_step* step, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(plan));
    NUMPACT_TRY(check_struct(step));
    const std::vector<FileStep>& steps = plan->steps(is_undo != 0);
    if (index >= steps.size()) {
      return Status(ErrorKind::kInvalidArgument, "the plan has no such step");
    }
    const FileStep& found = steps[index];
    give_struct(numpact_file_step{0, static_cast<std::int32_t>(found.kind), found.offset,
                                  found.bytes.data(), found.bytes.size()},
                step);
    return {};
  });
}

}  // extern "C"
