// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-5 and HOST-ARG-7 on heads: every struct that a caller hands over, with sizes, types and
// chains that are not what they should be.
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>

#include "objects.hpp"

namespace collet::test {
namespace {

// A struct of the caller, and a function that reads or fills it.
struct StructUse {
  std::string function;
  bool out;
  // A sound struct, as bytes.
  Bytes sound;
  // Where its field `reserved` is, if it has one.
  std::optional<std::size_t> reserved;
  std::function<collet_status_t(void*)> call;
};

template <class T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class StructUses {
 public:
  explicit StructUses(Objects& objects) : objects_(objects) {
    id_ = properties_of(objects.device).id;
    id_.resize(id_.find(':'));
    add_device_structs();
    add_object_structs();
    add_transfer_structs();
    add_program_structs();
    add_op_structs();
  }

  [[nodiscard]] const std::vector<StructUse>& all() const { return uses_; }

 private:
  template <class T, class Call>
  void add(const char* function, bool out, const T& sound, Call call) {
    std::optional<std::size_t> reserved;
    if constexpr (requires { sound.reserved; }) {
      reserved = offsetof(T, reserved);
    }
    uses_.push_back({function, out, bytes_of(sound), reserved,
                     [=](void* memory) { return call(static_cast<T*>(memory)); }});
  }

  void add_device_structs() {
    add("collet_backend_info", true, out_struct<collet_backend_info_t>(COLLET_STRUCT_BACKEND_INFO),
        [](auto* out) { return COLLET_CALL(collet_backend_info, 0, out); });
    const auto properties = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
    add("collet_device_describe", true, properties,
        [this](auto* out) { return COLLET_CALL(collet_device_describe, id_.c_str(), 0, out); });
    add("collet_device_properties", true, properties,
        [this](auto* out) { return COLLET_CALL(collet_device_properties, objects_.device, out); });
  }

  void add_object_structs() {
    add("collet_buffer_alloc", false, alloc_desc(64), [this](auto* desc) {
      collet_buffer_t* out = nullptr;
      const auto status = COLLET_CALL(collet_buffer_alloc, objects_.stream.get(), desc, &out);
      collet_buffer_release(out);
      return status;
    });
    add("collet_buffer_info", true, out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO),
        [this](auto* out) { return COLLET_CALL(collet_buffer_info, objects_.buffer.get(), out); });
    add("collet_stream_create", false, stream_desc(), [this](auto* desc) {
      collet_stream_t* out = nullptr;
      const auto status = COLLET_CALL(collet_stream_create, objects_.device, desc, &out);
      collet_stream_release(out);
      return status;
    });
    add("collet_stream_info", true, out_struct<collet_stream_info_t>(COLLET_STRUCT_STREAM_INFO),
        [this](auto* out) { return COLLET_CALL(collet_stream_info, objects_.stream.get(), out); });
    add("collet_stream_failure", true,
        out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE), [this](auto* out) {
          return COLLET_CALL(collet_stream_failure, objects_.stream.get(), out);
        });
    add("collet_event_create", false, event_desc(), [this](auto* desc) {
      collet_event_t* out = nullptr;
      const auto status = COLLET_CALL(collet_event_create, objects_.device, desc, &out);
      collet_event_release(out);
      return status;
    });
  }

  void add_transfer_structs() {
    add("collet_stream_write", false, transfer_desc(0), [this](auto* desc) {
      return COLLET_CALL(collet_stream_write, objects_.stream.get(), objects_.buffer.get(), 0,
                         memory_, sizeof memory_, desc, nullptr);
    });
    add("collet_stream_read", false, transfer_desc(0), [this](auto* desc) {
      return COLLET_CALL(collet_stream_read, objects_.stream.get(), memory_, objects_.buffer.get(),
                         0, sizeof memory_, desc, nullptr);
    });
  }

  void add_program_structs() {
    if (objects_.kernel == nullptr) {
      return;
    }
    sample_ = sample_image(objects_.device);
    image_ = {sample_.format.c_str(), sample_.data.data(), sample_.data.size()};
    add("collet_program_create", false, program_desc(image_), [this](auto* desc) {
      collet_program_t* out = nullptr;
      const auto status = COLLET_CALL(collet_program_create, objects_.device, desc, &out);
      collet_program_release(out);
      return status;
    });
    add("collet_kernel_info", true, out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO),
        [this](auto* out) { return COLLET_CALL(collet_kernel_info, objects_.kernel.get(), out); });
  }

  void add_op_structs() {
    const collet_op_desc_t fill = op_desc(COLLET_OP_FILL, objects_.layouts);
    const auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
    add("collet_op_query", false, fill, [this, support](auto* desc) {
      auto out = support;
      return COLLET_CALL(collet_op_query, objects_.device, desc, &out);
    });
    add("collet_op_query", true, support, [this, fill](auto* out) {
      return COLLET_CALL(collet_op_query, objects_.device, &fill, out);
    });
    if (objects_.plan == nullptr) {
      return;
    }
    add("collet_op_preferred_layout", false, fill, [this](auto* desc) {
      collet_layout_t out{};
      return COLLET_CALL(collet_op_preferred_layout, objects_.device, desc, 0, &out);
    });
    add("collet_plan_create", false, fill, [this](auto* desc) {
      collet_plan_t* out = nullptr;
      const auto status = COLLET_CALL(collet_plan_create, objects_.device, desc, &out);
      collet_plan_release(out);
      return status;
    });
    add("collet_plan_support", true, support,
        [this](auto* out) { return COLLET_CALL(collet_plan_support, objects_.plan.get(), out); });
  }

  Objects& objects_;
  std::string id_;
  unsigned char memory_[16]{};
  ProgramImage sample_;
  collet_program_image_t image_{};
  std::vector<StructUse> uses_;
};

collet_struct_t head_of(const Bytes& bytes) {
  collet_struct_t head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

void set_head(Bytes& bytes, const collet_struct_t& head) {
  std::memcpy(bytes.data(), &head, sizeof head);
}

constexpr std::size_t kTail = 64;
constexpr unsigned char kGuard = 0xa5;

// Runs `check` on each struct, with memory behind it that must not be touched.
void for_each_struct(const std::function<void(const StructUse&, Bytes&)>& check) {
  Objects objects(tested_device());
  const StructUses uses(objects);
  for (const StructUse& use : uses.all()) {
    INFO(use.function << (use.out ? ", out" : ", in"));
    Bytes memory = use.sound;
    memory.resize(use.sound.size() + kTail, kGuard);
    check(use, memory);
  }
}

collet_struct_t chained(std::uint32_t type, const collet_struct_t* next = nullptr) {
  return {static_cast<collet_struct_type_t>(type), sizeof(collet_struct_t), next};
}

}  // namespace

TEST_CASE("HOST-ARG-7 a sound struct is taken, and nothing is written behind it") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    CHECK(use.call(memory.data()) == COLLET_OK);
    CHECK(Bytes(memory.end() - kTail, memory.end()) == Bytes(kTail, kGuard));
  });
}

TEST_CASE("HOST-ARG-7 a struct of a newer caller is taken, and its tail is left alone") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    collet_struct_t head = head_of(memory);
    head.struct_size += kTail;
    set_head(memory, head);
    CHECK(use.call(memory.data()) == COLLET_OK);
    CHECK(Bytes(memory.end() - kTail, memory.end()) == Bytes(kTail, kGuard));
    CHECK(head_of(memory).struct_size == head.struct_size);
  });
}

TEST_CASE("HOST-ARG-7 a struct that is too small is refused, and not written") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    const auto whole = static_cast<std::uint32_t>(use.sound.size());
    for (const std::uint32_t size :
         {0U, 1U, static_cast<std::uint32_t>(sizeof(collet_struct_t)), whole - 1}) {
      collet_struct_t head = head_of(memory);
      head.struct_size = size;
      set_head(memory, head);
      const Bytes before = memory;
      CHECK(use.call(memory.data()) == COLLET_ERROR_INVALID_ARGUMENT);
      CHECK(message_has("struct_size is " + std::to_string(size)));
      CHECK(memory == before);
    }
  });
}

TEST_CASE("HOST-ARG-7 a struct of another type is refused, and not written") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    const collet_struct_t sound = head_of(memory);
    for (const std::uint32_t type : {0U, sound.type + 1U, sound.type | 0x40000000U, 0xffffffffU}) {
      collet_struct_t head = sound;
      head.type = static_cast<collet_struct_type_t>(type);
      set_head(memory, head);
      const Bytes before = memory;
      CHECK(use.call(memory.data()) == COLLET_ERROR_INVALID_ARGUMENT);
      CHECK(message_has("_INIT"));
      CHECK(memory == before);
    }
  });
}

TEST_CASE("HOST-ARG-5 a struct whose reserved field is not 0 is refused") {
  std::size_t seen = 0;
  for_each_struct([&](const StructUse& use, Bytes& memory) {
    if (use.out || !use.reserved) {
      return;
    }
    ++seen;
    memory[*use.reserved] = 1;
    CHECK(use.call(memory.data()) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("reserved"));
  });
  // Events and transfers have one on every device.
  CHECK(seen >= 3);
}

TEST_CASE("HOST-ARG-5 an unknown chained struct is refused, unless it is ignorable") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    const collet_struct_t unknown = chained(4711);
    const collet_struct_t behind = chained(COLLET_STRUCT_IGNORABLE | 4711U, &unknown);
    const collet_struct_t ignorable = chained(COLLET_STRUCT_IGNORABLE | 4712U);
    collet_struct_t head = head_of(memory);
    for (const collet_struct_t* next : {&unknown, &behind}) {
      head.next = next;
      set_head(memory, head);
      CHECK(use.call(memory.data()) == COLLET_ERROR_INVALID_ARGUMENT);
      CHECK(message_has("4711"));
    }
    head.next = &ignorable;
    set_head(memory, head);
    CHECK(use.call(memory.data()) == COLLET_OK);
    CHECK(head_of(memory).next == &ignorable);
  });
}

TEST_CASE("HOST-ARG-5 a chain that loops is refused") {
  for_each_struct([](const StructUse& use, Bytes& memory) {
    collet_struct_t first = chained(COLLET_STRUCT_IGNORABLE | 1U);
    const collet_struct_t second = chained(COLLET_STRUCT_IGNORABLE | 2U, &first);
    first.next = &second;
    collet_struct_t head = head_of(memory);
    head.next = &first;
    set_head(memory, head);
    CHECK(use.call(memory.data()) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("does not end"));
  });
}

TEST_CASE("HOST-ARG-7 a descriptor may be NULL where the header says so, and nowhere else") {
  for_each_struct([](const StructUse& use, Bytes& /*memory*/) {
    const bool optional =
        use.function == "collet_stream_create" || use.function == "collet_event_create" ||
        use.function == "collet_stream_write" || use.function == "collet_stream_read";
    CHECK(use.call(nullptr) == (optional ? COLLET_OK : COLLET_ERROR_INVALID_ARGUMENT));
  });
}

}  // namespace collet::test
