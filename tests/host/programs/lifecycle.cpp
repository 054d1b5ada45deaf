// SPDX-License-Identifier: Apache-2.0
// Ends in every way a program can end while it has objects of Collet. Its argument says which; it
// exits with 0 if all went well.
#include <collet/collet.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

// Programs that end with objects alive, and forked children that may not release them, leak them on
// purpose. Asked by the address sanitizer, where there is one.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer looks for this name
extern "C" COLLET_API const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, collet_last_error()->message);
  _exit(1);
}

void expect(bool condition, const char* what) {
  if (!condition) {
    die(what);
  }
}

collet_device_t* open_device() {
  collet_device_t* device = nullptr;
  expect(collet_device_open(std::getenv("COLLET_HOST_TEST_DEVICE"), &device) == COLLET_OK, "open");
  return device;
}

// An object of every kind that can be made without a program; all are released by its destructor.
class Objects {
 public:
  Objects() = default;
  explicit Objects(std::uint32_t stream_flags) { make(stream_flags); }
  ~Objects() {
    collet_plan_release(plan);
    collet_event_release(event);
    collet_buffer_release(buffer);
    collet_stream_release(stream);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void make(std::uint32_t stream_flags) {
    collet_device_t* device = open_device();
    collet_stream_desc_t of_stream{};
    of_stream.base = {COLLET_STRUCT_STREAM_DESC, sizeof of_stream, nullptr};
    of_stream.flags = stream_flags;
    expect(collet_stream_create(device, &of_stream, &stream) == COLLET_OK, "stream");
    collet_alloc_desc_t of_buffer{};
    of_buffer.base = {COLLET_STRUCT_ALLOC_DESC, sizeof of_buffer, nullptr};
    of_buffer.size_bytes = 4096;
    expect(collet_buffer_alloc(stream, &of_buffer, &buffer) == COLLET_OK, "buffer");
    expect(collet_event_create(device, nullptr, &event) == COLLET_OK, "event");
    make_plan(device);
    use();
  }

  void use() const {
    const unsigned char byte = 1;
    expect(collet_stream_fill(stream, buffer, 0, 4096, &byte, 1) == COLLET_OK, "fill");
    expect(collet_event_record(event, stream) == COLLET_OK, "record");
  }

  collet_stream_t* stream = nullptr;
  collet_buffer_t* buffer = nullptr;
  collet_event_t* event = nullptr;
  collet_plan_t* plan = nullptr;

 private:
  void make_plan(collet_device_t* device) {
    collet_layout_t layouts[2]{};
    layouts[0].type = layouts[1].type = COLLET_TYPE_F32;
    layouts[1].immediate = 1;
    collet_op_desc_t desc{};
    desc.base = {COLLET_STRUCT_OP_DESC, sizeof desc, nullptr};
    desc.kind = COLLET_OP_FILL;
    desc.operand_count = 2;
    desc.operands = layouts;
    const collet_status_t status = collet_plan_create(device, &desc, &plan);
    expect(status == COLLET_OK || status == COLLET_ERROR_UNSUPPORTED, "plan");
  }
};

// Constructed before Collet is used, so destroyed after all that the use has brought.
Objects static_objects;

Objects* atexit_objects = nullptr;

void from_static_destructors() {
  static_objects.make(COLLET_STREAM_BACKGROUND);
  // Constructed after the first use, so destroyed before.
  static const Objects kLater(0);
  kLater.use();
}

void from_atexit() {
  std::atexit([] { delete atexit_objects; });
  atexit_objects = new Objects(COLLET_STREAM_BACKGROUND);
  std::atexit([] { atexit_objects->use(); });
}

// Of the main thread and of others; a key's destructor runs after those of thread-local objects.
void from_thread_ends() {
  static pthread_key_t key;
  expect(pthread_key_create(&key,
                            [](void* objects) {
                              delete static_cast<Objects*>(objects);
                              expect(collet_stream_query(nullptr) == COLLET_ERROR_INVALID_HANDLE &&
                                         collet_last_error()->status != COLLET_OK,
                                     "an error while the thread ends");
                            }) == 0,
         "key");
  const auto work = [] {
    static thread_local Objects objects;
    objects.make(COLLET_STREAM_BACKGROUND);
    static_cast<void>(collet_stream_query(nullptr));
    pthread_setspecific(key, new Objects(0));
  };
  for (int i = 0; i < 4; ++i) {
    std::thread(work).join();
  }
  work();
}

void with_detached_threads() {
  // Never destroyed: the threads may outlive main().
  static auto& started = *new std::atomic<int>(0);
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      for (;;) {
        const Objects objects(COLLET_STREAM_BACKGROUND);
        objects.use();
        static_cast<void>(collet_stream_query(nullptr));
        ++started;
      }
    }).detach();
  }
  while (started < 8) {
    std::this_thread::yield();
  }
}

// Commands wait for a host function that never returns.
void with_a_busy_stream() {
  auto* objects = new Objects(COLLET_STREAM_BACKGROUND);
  const auto hang = [](void*, collet_status_t) {
    for (;;) {
      pause();
    }
  };
  expect(collet_stream_host_function(objects->stream, hang, nullptr) == COLLET_OK, "hang");
  objects->use();
  collet_buffer_release(objects->buffer);
}

void from_a_host_function() {
  auto* objects = new Objects(COLLET_STREAM_BACKGROUND);
  const auto leave = [](void*, collet_status_t) { std::exit(0); };
  expect(collet_stream_host_function(objects->stream, leave, nullptr) == COLLET_OK, "leave");
  static_cast<void>(collet_stream_synchronize(objects->stream, COLLET_TIMEOUT_INFINITE));
  for (;;) {
    pause();
  }
}

// Forks, and expects that the child exits as a program does, with 0.
template <class Body>
void in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    std::exit(0);
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "child");
}

void fork_before_use() {
  expect(!std::string_view(collet_version()).empty(), "version");
  in_child([] { static_objects.make(COLLET_STREAM_BACKGROUND); });
  static_objects.make(COLLET_STREAM_BACKGROUND);
}

// Objects of the parent are released by the static destructors of the child.
void fork_after_use() {
  static_objects.make(COLLET_STREAM_BACKGROUND);
  const auto start = std::chrono::steady_clock::now();
  in_child([&] {
    expect(collet_stream_query(static_objects.stream) == COLLET_ERROR_FORKED, "forked");
    expect(std::chrono::steady_clock::now() - start < std::chrono::seconds(1), "at once");
    // A child of the child is forked too.
    in_child([] {
      expect(collet_stream_query(static_objects.stream) == COLLET_ERROR_FORKED, "forked twice");
    });
  });
  static_objects.use();
}

// Children that are forked while other threads hold whatever locks there are.
void fork_among_threads() {
  static std::atomic<bool> over{false};
  std::thread threads[3];
  for (std::thread& thread : threads) {
    thread = std::thread([] {
      while (!over) {
        const Objects objects(COLLET_STREAM_BACKGROUND);
        static_cast<void>(collet_stream_query(nullptr));
      }
    });
  }
  const Objects objects(0);
  for (int i = 0; i < 5; ++i) {
    in_child([&] {
      collet_stream_t* stream = nullptr;
      collet_device_t* device = nullptr;
      std::uint32_t count = 0;
      expect(collet_stream_create(nullptr, nullptr, &stream) == COLLET_ERROR_FORKED, "create");
      expect(collet_device_open_default(&device) == COLLET_ERROR_FORKED, "open");
      expect(collet_backend_count(&count) == COLLET_ERROR_FORKED, "count");
      expect(collet_event_query(objects.event) == COLLET_ERROR_FORKED, "query");
      collet_buffer_release(objects.buffer);
      collet_plan_release(objects.plan);
      _exit(0);
    });
  }
  over = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Of two threads that configure at once, one does.
void configure_at_once() {
  static std::atomic<int> configured{0};
  static std::atomic<int> refused{0};
  std::thread threads[8];
  for (std::thread& thread : threads) {
    thread = std::thread([] {
      collet_config_t config{};
      config.base = {COLLET_STRUCT_CONFIG, sizeof config, nullptr};
      const collet_status_t status = collet_configure(&config);
      configured += status == COLLET_OK ? 1 : 0;
      refused += status == COLLET_ERROR_INVALID_STATE ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  expect(configured == 1 && refused == 7, "configure");
}

// All first calls of the process, and all of them get the same device.
void initialise_at_once() {
  constexpr int kThreads = 64;
  static std::atomic<int> ready{0};
  static std::atomic<collet_device_t*> first{nullptr};
  std::thread threads[kThreads];
  for (std::thread& thread : threads) {
    thread = std::thread([] {
      ++ready;
      while (ready < kThreads) {
        std::this_thread::yield();
      }
      std::uint32_t count = 0;
      expect(collet_backend_count(&count) == COLLET_OK && count > 0, "count");
      collet_device_t* device = open_device();
      collet_device_t* expected = nullptr;
      expect(first.compare_exchange_strong(expected, device) || expected == device, "device");
      const Objects objects(COLLET_STREAM_BACKGROUND);
      expect(collet_device_open("nowhere", &device) == COLLET_ERROR_NO_SUCH_DEVICE, "nowhere");
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Run with other rights than those of its user, and with an environment that would find nothing.
void elevated() {
  expect(getauxval(AT_SECURE) != 0, "elevated");
  std::uint32_t count = 0;
  collet_device_t* device = nullptr;
  expect(std::getenv("COLLET_PLUGIN_PATH") != nullptr, "environment");
  expect(collet_backend_count(&count) == COLLET_OK && count > 0, "plugins");
  const collet_status_t status = collet_device_open_default(&device);
  expect(status != COLLET_ERROR_MALFORMED && status != COLLET_ERROR_NO_SUCH_DEVICE, "device");
}

struct Way {
  std::string_view name;
  void (*end)();
};

constexpr Way kWays[] = {
    {"static_destructors", from_static_destructors},
    {"atexit", from_atexit},
    {"thread_ends", from_thread_ends},
    {"detached_threads", with_detached_threads},
    {"busy_stream", with_a_busy_stream},
    {"host_function", from_a_host_function},
    {"fork_before_use", fork_before_use},
    {"fork_after_use", fork_after_use},
    {"fork_among_threads", fork_among_threads},
    {"configure_at_once", configure_at_once},
    {"initialise_at_once", initialise_at_once},
    {"elevated", elevated},
};

}  // namespace

int main(int argc, char** argv) {
  // What hangs is ended, and so fails.
  alarm(60);
  for (const Way& way : kWays) {
    if (argc == 2 && way.name == argv[1]) {
      way.end();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: lifecycle <way>\n");
  return 2;
}
