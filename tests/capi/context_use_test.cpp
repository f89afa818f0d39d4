// SPDX-License-Identifier: Apache-2.0
// A context, and an object, serve one call at a time: the caller's functions that a call runs
// cannot use them, and the call ends with right results all the same.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <new>

#include "capi/capi_samples.hpp"
#include "numpact/numpact.h"
#include "numpact/numpact.hpp"

namespace numpact::testing {
namespace {

// The caller's functions. Each runs `within` unless that is running.
struct Hooks {
  enum Kind { kProgress, kAllocator, kExecutor, kStream, kKinds };

  void fire(Kind kind) {
    if (kind != wanted || is_within || !within) return;
    is_within = true;
    ++fired;
    within();
    is_within = false;
  }
  // `options` points to members.
  void set_options(numpact_context_options& options) {
    allocator = {sizeof allocator, this,
                 [](void* self, std::size_t size, std::size_t alignment) -> void* {
                   static_cast<Hooks*>(self)->fire(kAllocator);
                   return ::operator new(size, std::align_val_t(alignment));
                 },
                 [](void* self, void* memory, std::size_t, std::size_t alignment) {
                   static_cast<Hooks*>(self)->fire(kAllocator);
                   ::operator delete(memory, std::align_val_t(alignment));
                 }};
    executor = {sizeof executor, this, 2,
                [](void* self, std::size_t count, numpact_task task, void* argument) {
                  for (std::size_t i = 0; i < count; ++i) {
                    static_cast<Hooks*>(self)->fire(kExecutor);
                    task(argument, i);
                  }
                }};
    numpact_context_options_init(&options);
    options.allocator = &allocator;
    options.executor = &executor;
    options.progress_opaque = this;
    options.progress = [](void* self, std::uint64_t, std::uint64_t) {
      static_cast<Hooks*>(self)->fire(kProgress);
      return 1;
    };
  }

  Kind wanted = kProgress;
  std::function<void()> within;
  bool is_within = false;
  int fired = 0;
  numpact_allocator allocator = {};
  numpact_executor executor = {};
};

// A call of a function that takes a context. Where it succeeds, it has checked the result.
struct Call {
  const char* name;
  std::function<numpact_status(numpact_context*, numpact_error*)> run;
};

class ContextUse : public ::testing::Test {
 protected:
  ContextUse() {
    numpact_encode_options_init(&options_);
    options_.level = 2;
    options_.max_page_count = 1000;
    add_encoding();
    add_files();
    add_arrow();
    add_decoding();
    add_searches();
    add_pages();
    add_vectors();
    add_streams();
  }

  bool is_all(std::size_t count) const {
    return count == Samples::kCount &&
           std::memcmp(s_.out.data(), s_.numbers.data(), 8 * Samples::kCount) == 0;
  }
  // Right numbers in the output, after a call that succeeded.
  void expect_all(numpact_status status, std::size_t count) const {
    if (status == NUMPACT_OK) {
      EXPECT_TRUE(is_all(count));
    }
  }

  void add_encoding() {
    calls_.push_back({"compress", [this](auto* c, auto* e) {
                        std::size_t size = 0;
                        const numpact_status status =
                            numpact_compress(c, NUMPACT_I64, s_.numbers.data(), Samples::kCount,
                                             &options_, s_.out.data(), s_.out.size(), &size, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_TRUE(same_bytes(ByteSpan(s_.out).first(size), s_.plain));
                        }
                        return status;
                      }});
    calls_.push_back({"recipe_create", [this](auto* c, auto* e) {
                        numpact_recipe* recipe = nullptr;
                        const numpact_status status =
                            numpact_recipe_create(c, NUMPACT_I64, s_.numbers.data(),
                                                  Samples::kCount, nullptr, &recipe, e);
                        numpact_recipe_destroy(recipe);
                        return status;
                      }});
    calls_.push_back({"recipe_parse", [](auto* c, auto* e) {
                        numpact_recipe* recipe = nullptr;
                        const numpact_status status =
                            numpact_recipe_parse(c, "f64 classic none", &recipe, e);
                        numpact_recipe_destroy(recipe);
                        return status;
                      }});
  }

  void add_files() {
    calls_.push_back(
        {"trailer_make", [this](auto* c, auto* e) {
           std::size_t size = 0;
           std::uint64_t end = 0;
           const numpact_status status =
               numpact_trailer_make(c, s_.file.data(), s_.file.size(), NUMPACT_TRAILER_RESTARTS, 8,
                                    s_.out.data(), s_.out.size(), &size, &end, e);
           if (status == NUMPACT_OK) {
             EXPECT_TRUE(same_bytes(ByteSpan(s_.out).first(size), ByteSpan(s_.file).subspan(end)));
           }
           return status;
         }});
    calls_.push_back({"file_plan_append", [this](auto* c, auto* e) {
                        numpact_file_plan* plan = nullptr;
                        const numpact_status status =
                            numpact_file_plan_append(c, s_.file.data(), s_.file.size(), NUMPACT_I64,
                                                     s_.numbers.data(), 5, nullptr, &plan, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(numpact_file_plan_count(plan), Samples::kCount + 5);
                        }
                        numpact_file_plan_destroy(plan);
                        return status;
                      }});
    calls_.push_back({"file_plan_repair", [this](auto* c, auto* e) {
                        numpact_file_plan* plan = nullptr;
                        const numpact_status status =
                            numpact_file_plan_repair(c, s_.file.data(), s_.file.size(), &plan, e);
                        numpact_file_plan_destroy(plan);
                        return status;
                      }});
  }

  void add_arrow() {
    calls_.push_back({"compress_arrow", [this](auto* c, auto* e) {
                        std::size_t size = 0;
                        const numpact_status status =
                            numpact_compress_arrow(c, &s_.schema, &s_.array, nullptr, s_.out.data(),
                                                   s_.out.size(), &size, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_TRUE(same_bytes(ByteSpan(s_.out).first(size), s_.column));
                        }
                        return status;
                      }});
    calls_.push_back(
        {"decompress_arrow", [this](auto* c, auto* e) {
           ArrowSchema schema = {};
           ArrowArray array = {};
           const numpact_status status =
               numpact_decompress_arrow(c, s_.column.data(), s_.column.size(), &schema, &array, e);
           if (status != NUMPACT_OK) return status;
           EXPECT_EQ(std::memcmp(array.buffers[1], s_.numbers.data(), 8 * Samples::kCount), 0);
           schema.release(&schema);
           array.release(&array);
           return status;
         }});
  }

  void add_decoding() {
    calls_.push_back({"count", [this](auto* c, auto* e) {
                        std::uint64_t count = 0;
                        const numpact_status status =
                            numpact_count(c, s_.file.data(), s_.file.size(), &count, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(count, Samples::kCount);
                        }
                        return status;
                      }});
    calls_.push_back({"decompress", [this](auto* c, auto* e) {
                        std::size_t count = 0;
                        const numpact_status status =
                            numpact_decompress(c, s_.file.data(), s_.file.size(), NUMPACT_I64,
                                               s_.out.data(), s_.out.size(), &count, e);
                        expect_all(status, count);
                        return status;
                      }});
    calls_.push_back({"decompress_exact", [this](auto* c, auto* e) {
                        const numpact_status status = numpact_decompress_exact(
                            c, s_.plain.data(), s_.plain.size(), NUMPACT_I64, s_.out.data(),
                            Samples::kCount, e);
                        expect_all(status, Samples::kCount);
                        return status;
                      }});
    calls_.push_back({"decompress_front", [this](auto* c, auto* e) {
                        std::size_t count = 0;
                        const numpact_status status = numpact_decompress_front(
                            c, s_.plain.data(), s_.plain.size(), NUMPACT_I64, s_.out.data(),
                            8 * Samples::kCount, &count, nullptr, e);
                        expect_all(status, count);
                        return status;
                      }});
  }

  void add_searches() {
    calls_.push_back({"count_where", [this](auto* c, auto* e) {
                        const std::int64_t min = INT64_MIN;
                        const std::int64_t max = INT64_MAX - 1;
                        std::uint64_t count = 0;
                        const numpact_status status =
                            numpact_count_where(c, s_.plain.data(), s_.plain.size(), NUMPACT_I64,
                                                &min, &max, &count, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(count, Samples::kCount);
                        }
                        return status;
                      }});
    calls_.push_back({"exists", [this](auto* c, auto* e) {
                        const std::int64_t none = INT64_MAX;
                        int found = 1;
                        const numpact_status status =
                            numpact_exists(c, s_.plain.data(), s_.plain.size(), NUMPACT_I64, &none,
                                           &none, &found, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(found, 0);
                        }
                        return status;
                      }});
    calls_.push_back({"verify", [this](auto* c, auto* e) {
                        numpact_verification found = {};
                        found.struct_size = sizeof found;
                        const numpact_status status =
                            numpact_verify(c, s_.file.data(), s_.file.size(), &found, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(found.sound_count, Samples::kCount);
                        }
                        return status;
                      }});
    calls_.push_back({"reader_create", [this](auto* c, auto* e) {
                        numpact_reader* reader = nullptr;
                        const numpact_status status =
                            numpact_reader_create(c, s_.plain.data(), s_.plain.size(), &reader, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(numpact_reader_count(reader), Samples::kCount);
                        }
                        numpact_reader_destroy(reader);
                        return status;
                      }});
    calls_.push_back({"reader_read", [this](auto* c, auto* e) {
                        const numpact_status status = numpact_reader_read(
                            s_.reader, c, 0, NUMPACT_I64, s_.out.data(), Samples::kCount, e);
                        expect_all(status, Samples::kCount);
                        return status;
                      }});
  }

  void add_pages() {
    calls_.push_back({"chunk_encoder_create", [this](auto* c, auto* e) {
                        numpact_chunk_encoder* encoder = nullptr;
                        const numpact_status status =
                            numpact_chunk_encoder_create(c, NUMPACT_I64, s_.numbers.data(),
                                                         Samples::kCount, nullptr, &encoder, e);
                        numpact_chunk_encoder_destroy(encoder);
                        return status;
                      }});
    calls_.push_back({"chunk_decoder_create", [this](auto* c, auto* e) {
                        numpact_chunk_decoder* decoder = nullptr;
                        const numpact_status status = numpact_chunk_decoder_create(
                            c, s_.meta.data(), s_.meta.size(), NUMPACT_I64, 4, 1, &decoder, e);
                        numpact_chunk_decoder_destroy(decoder);
                        return status;
                      }});
    calls_.push_back({"chunk_decoder_read_page", [this](auto* c, auto* e) {
                        const numpact_status status = numpact_chunk_decoder_read_page(
                            s_.decoder, c, s_.page.data(), s_.page.size(), Samples::kCount,
                            s_.out.data(), s_.out.size(), nullptr, e);
                        expect_all(status, Samples::kCount);
                        return status;
                      }});
    calls_.push_back({"chunk_decoder_read_page_front", [this](auto* c, auto* e) {
                        return numpact_chunk_decoder_read_page_front(
                            s_.decoder, c, s_.page.data(), s_.page.size(), Samples::kCount,
                            s_.out.data(), 80, nullptr, e);
                      }});
    calls_.push_back(
        {"chunk_decoder_read_pages", [this](auto* c, auto* e) {
           const numpact_page_input page = {s_.page.data(), s_.page.size(), Samples::kCount};
           const numpact_status status = numpact_chunk_decoder_read_pages(
               s_.decoder, c, &page, 1, s_.out.data(), s_.out.size(), e);
           expect_all(status, Samples::kCount);
           return status;
         }});
    calls_.push_back(
        {"page_reader", [this](auto* c, auto* e) {
           numpact_page_reader* reader = nullptr;
           numpact_status status = numpact_page_reader_create(c, s_.decoder, &reader, e);
           if (status != NUMPACT_OK) return status;
           std::size_t count = 0;
           status = numpact_page_reader_start(reader, s_.page.data(), s_.page.size(),
                                              Samples::kCount, nullptr, 0, e);
           if (status == NUMPACT_OK) {
             status = numpact_page_reader_read(reader, s_.out.data(), s_.out.size(), &count, e);
           }
           expect_all(status, count);
           numpact_page_reader_destroy(reader);
           return status;
         }});
  }

  void add_vectors() {
    calls_.push_back({"cvc_reader_create", [this](auto* c, auto* e) {
                        numpact_cvc_reader* reader = nullptr;
                        const numpact_status status = numpact_cvc_reader_create(
                            c, s_.vectors.data(), s_.vectors.size(), &reader, e);
                        numpact_cvc_reader_destroy(reader);
                        return status;
                      }});
    calls_.push_back({"cvc_reader_read", [this](auto* c, auto* e) {
                        std::vector<float> out(64 * 8);
                        const numpact_status status = numpact_cvc_reader_read(
                            s_.cvc, c, 0, 64, 0, NUMPACT_DTYPE_FLOAT32, out.data(), 0, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(out, s_.rows);
                        }
                        return status;
                      }});
    calls_.push_back({"cvc_reader_gather", [this](auto* c, auto* e) {
                        float out[2 * 8] = {};
                        const std::uint64_t rows[] = {60, 3};
                        const numpact_status status = numpact_cvc_reader_gather(
                            s_.cvc, c, rows, 2, 0, NUMPACT_DTYPE_FLOAT32, out, 0, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(out[15], 0.5F);
                        }
                        return status;
                      }});
    calls_.push_back({"cvc_writer", [this](auto* c, auto* e) {
                        numpact_cvc_options options;
                        numpact_cvc_options_init(&options);
                        options.dimension = 8;
                        options.chunk_rows = 16;
                        numpact_cvc_writer* writer = nullptr;
                        numpact_status status = numpact_cvc_writer_create(c, &options, &writer, e);
                        if (status != NUMPACT_OK) return status;
                        const void* bytes = nullptr;
                        std::size_t size = 0;
                        status = numpact_cvc_writer_append(writer, NUMPACT_DTYPE_FLOAT32,
                                                           s_.rows.data(), 64, e);
                        if (status == NUMPACT_OK)
                          status = numpact_cvc_writer_finish(writer, &bytes, &size, e);
                        if (status == NUMPACT_OK) {
                          EXPECT_EQ(size, s_.vectors.size());
                        }
                        numpact_cvc_writer_destroy(writer);
                        return status;
                      }});
  }

  void add_streams() {
    calls_.push_back(
        {"stream_reader", [this](auto* c, auto* e) {
           numpact_stream_reader* reader = nullptr;
           from_ = 0;
           numpact_status status = numpact_stream_reader_create(c, read_some, this, &reader, e);
           if (status != NUMPACT_OK) return status;
           inner_object_ = [reader](numpact_error* error) {
             std::size_t count = 0;
             return numpact_stream_reader_read(reader, NUMPACT_I64, nullptr, 0, &count, error);
           };
           std::size_t count = 0;
           std::int32_t state = 0;
           status = numpact_stream_reader_read(reader, NUMPACT_I64, s_.out.data(), s_.out.size(),
                                               &count, e);
           expect_all(status, count);
           if (status == NUMPACT_OK)
             status = numpact_stream_reader_check_trailer(reader, &state, e);
           if (status == NUMPACT_OK) {
             EXPECT_EQ(state, NUMPACT_TRAILER_SOUND);
           }
           numpact_stream_reader_destroy(reader);
           inner_object_ = nullptr;
           return status;
         }});
    calls_.push_back(
        {"stream_writer", [this](auto* c, auto* e) {
           numpact_stream_writer* writer = nullptr;
           Bytes written;
           sink_ = &written;
           numpact_status status = numpact_stream_writer_create(
               c, write_all, this, NUMPACT_I64, &options_, Samples::kCount, &writer, e);
           if (status != NUMPACT_OK) return status;
           inner_object_ = [writer](numpact_error* error) {
             return numpact_stream_writer_finish(writer, error);
           };
           status = numpact_stream_writer_write(writer, s_.numbers.data(), Samples::kCount, e);
           if (status == NUMPACT_OK) status = numpact_stream_writer_finish(writer, e);
           if (status == NUMPACT_OK) {
             EXPECT_TRUE(same_numbers(decompressed(written), s_.numbers));
           }
           numpact_stream_writer_destroy(writer);
           inner_object_ = nullptr;
           return status;
         }});
    calls_.push_back({"context_file_end", [](auto* c, auto* e) {
                        numpact_file_end end = {};
                        end.struct_size = sizeof end;
                        return numpact_context_file_end(c, &end, e);
                      }});
  }

  static int read_some(void* self, void* out, std::size_t capacity, std::size_t* size) {
    auto& test = *static_cast<ContextUse*>(self);
    test.hooks_.fire(Hooks::kStream);
    *size = std::min<std::size_t>({capacity, 700, test.s_.file.size() - test.from_});
    std::memcpy(out, test.s_.file.data() + test.from_, *size);
    test.from_ += *size;
    return 0;
  }
  static int write_all(void* self, const void* bytes, std::size_t size) {
    auto& test = *static_cast<ContextUse*>(self);
    test.hooks_.fire(Hooks::kStream);
    const auto* const from = static_cast<const std::byte*>(bytes);
    test.sink_->insert(test.sink_->end(), from, from + size);
    return 0;
  }

  // What the caller's functions do: every call with the context of the call that runs them.
  void use_within(numpact_context* context) {
    const Bytes out = s_.out;
    for (const Call& inner : calls_) {
      numpact_error error;
      numpact_error_init(&error);
      EXPECT_EQ(inner.run(context, &error), NUMPACT_INVALID_ARGUMENT) << inner.name;
      EXPECT_STREQ(error.text, "the context is in use by this call") << inner.name;
    }
    EXPECT_TRUE(same_bytes(out, s_.out));  // nothing was written
    if (!inner_object_) return;
    numpact_error error;
    numpact_error_init(&error);
    EXPECT_EQ(inner_object_(&error), NUMPACT_INVALID_ARGUMENT);
    EXPECT_STREQ(error.text, "the object is in use by this call");
  }

  Samples s_;
  numpact_encode_options options_;
  std::vector<Call> calls_;
  Hooks hooks_;
  std::size_t from_ = 0;
  Bytes* sink_ = nullptr;
  std::function<numpact_status(numpact_error*)> inner_object_;
};

TEST_F(ContextUse, ACallRefusesItsContextToTheFunctionsThatItRuns) {
  int of_kind[Hooks::kKinds] = {};
  for (int kind = 0; kind < Hooks::kKinds; ++kind) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      SCOPED_TRACE(calls_[i].name);
      hooks_ = {};
      hooks_.wanted = static_cast<Hooks::Kind>(kind);
      numpact_context_options options;
      hooks_.set_options(options);
      numpact_context* context = nullptr;
      ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
      hooks_.within = [&] {
        // Objects allocate in calls without the context, too, in which it may be used.
        if (kind == Hooks::kAllocator && calls_.back().run(context, nullptr) == NUMPACT_OK) return;
        const std::size_t at = from_;
        Bytes* const sink = sink_;
        const auto object = inner_object_;
        use_within(context);
        from_ = at;
        sink_ = sink;
        inner_object_ = object;
      };
      numpact_error error;
      numpact_error_init(&error);
      EXPECT_EQ(calls_[i].run(context, &error), NUMPACT_OK) << error.text;
      of_kind[kind] += hooks_.fired;
      // Once more, after all that.
      hooks_.within = nullptr;
      EXPECT_EQ(calls_[i].run(context, nullptr), NUMPACT_OK);
      numpact_context_destroy(context);
      if (HasFailure()) return;
    }
  }
  for (const int fired : of_kind) {
    EXPECT_GT(fired, 0);
  }
}

TEST_F(ContextUse, OtherContextsMayBeUsed) {
  numpact_context_options options;
  hooks_.set_options(options);
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
  hooks_.within = [&] {
    std::uint64_t count = 0;
    EXPECT_EQ(numpact_count(nullptr, s_.file.data(), s_.file.size(), &count, nullptr), NUMPACT_OK);
    EXPECT_EQ(count, Samples::kCount);
  };
  for (const Call& call : calls_) {
    EXPECT_EQ(call.run(context, nullptr), NUMPACT_OK) << call.name;
  }
  EXPECT_GT(hooks_.fired, 0);
  hooks_.within = nullptr;
  numpact_context_destroy(context);
}

TEST_F(ContextUse, DestroyedWithinACallItLivesUntilItsEnd) {
  for (int kind : {Hooks::kProgress, Hooks::kAllocator}) {
    for (const Call& call : calls_) {
      SCOPED_TRACE(call.name);
      const std::string_view name = call.name;
      if (name.starts_with("stream") || name.starts_with("cvc_writer")) continue;  // use it later
      hooks_ = {};
      hooks_.wanted = static_cast<Hooks::Kind>(kind);
      numpact_context_options options;
      hooks_.set_options(options);
      numpact_context* context = nullptr;
      ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
      hooks_.within = [&] {
        if (hooks_.fired == 1) numpact_context_destroy(context);
      };
      EXPECT_EQ(call.run(context, nullptr), NUMPACT_OK);
      if (hooks_.fired == 0) numpact_context_destroy(context);
      hooks_.within = nullptr;
    }
  }
}

}  // namespace
}  // namespace numpact::testing
