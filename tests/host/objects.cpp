// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include <fstream>
#include <iterator>
#include <string_view>

namespace collet::test {
namespace {

constexpr std::uint64_t kBufferBytes = 256;

bool lists(const std::string& words, const std::string& word) {
  return (' ' + words + ' ').find(' ' + word + ' ') != std::string::npos;
}

Program make_program(collet_device_t* device) {
  const ProgramImage sample = sample_image(device);
  if (sample.data.empty()) {
    return nullptr;
  }
  const collet_program_image_t image{sample.format.c_str(), sample.data.data(), sample.data.size()};
  const collet_program_desc_t desc = program_desc(image);
  collet_program_t* program = nullptr;
  const collet_status_t status = collet_program_create(device, &desc, &program);
  INFO(message());
  REQUIRE(status == COLLET_OK);
  return Program(program);
}

Kernel make_kernel(const Program& program) {
  collet_kernel_t* kernel = nullptr;
  if (program != nullptr) {
    REQUIRE(collet_kernel_create(program.get(), "store", &kernel) == COLLET_OK);
  }
  return Kernel(kernel);
}

Plan make_plan(collet_device_t* device, const std::vector<collet_layout_t>& layouts) {
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_plan_t* plan = nullptr;
  const collet_status_t status = collet_plan_create(device, &desc, &plan);
  REQUIRE((status == COLLET_OK || status == COLLET_ERROR_UNSUPPORTED));
  return Plan(plan);
}

// The answer of a call that makes an object, which nobody wants.
template <class Object, class Create>
collet_status_t made(Create create) {
  typename Object::pointer out = nullptr;
  const collet_status_t status = create(&out);
  const Object object(out);
  return status;
}

using Uses = std::vector<HandleUse>;

template <class Handle>
Handle* as(void* handle) {
  return static_cast<Handle*>(handle);
}

void add_device_uses(Objects& of, Uses& uses) {
  const auto add = [&](const char* function, auto call) {
    uses.push_back({function, "device", HandleKind::kDevice,
                    [=](void* handle) { return call(as<collet_device_t>(handle)); }});
  };
  add("collet_device_properties", [](collet_device_t* device) {
    auto out = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
    return COLLET_CALL(collet_device_properties, device, &out);
  });
  add("collet_device_memory_info", [](collet_device_t* device) {
    std::uint64_t bytes[2];
    return COLLET_CALL(collet_device_memory_info, device, &bytes[0], &bytes[1]);
  });
  add("collet_stream_create", [](collet_device_t* device) {
    return made<Stream>([&](collet_stream_t** out) {
      return COLLET_CALL(collet_stream_create, device, nullptr, out);
    });
  });
  add("collet_event_create", [](collet_device_t* device) {
    return made<Event>([&](collet_event_t** out) {
      return COLLET_CALL(collet_event_create, device, nullptr, out);
    });
  });
  add("collet_allocator_create", [](collet_device_t* device) {
    return made<Allocator>([&](collet_allocator_t** out) {
      return COLLET_CALL(collet_allocator_create, device, nullptr, out);
    });
  });
  add("collet_device_allocator", [](collet_device_t* device) {
    return made<Allocator>([&](collet_allocator_t** out) {
      return COLLET_CALL(collet_device_allocator, device, out);
    });
  });
  add("collet_host_register", [](collet_device_t* device) {
    static unsigned char memory[64];
    return made<Buffer>([&](collet_buffer_t** out) {
      return COLLET_CALL(collet_host_register, device, memory, sizeof memory, out);
    });
  });
  add("collet_program_create", [](collet_device_t* device) {
    const collet_program_image_t image{"nonsense", "?", 1};
    const collet_program_desc_t desc = program_desc(image);
    return made<Program>([&](collet_program_t** out) {
      return COLLET_CALL(collet_program_create, device, &desc, out);
    });
  });
  add("collet_op_query", [&of](collet_device_t* device) {
    const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, of.layouts);
    auto out = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
    return COLLET_CALL(collet_op_query, device, &desc, &out);
  });
  add("collet_op_preferred_layout", [&of](collet_device_t* device) {
    const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, of.layouts);
    collet_layout_t out{};
    return COLLET_CALL(collet_op_preferred_layout, device, &desc, 0, &out);
  });
  add("collet_plan_create", [&of](collet_device_t* device) {
    const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, of.layouts);
    return made<Plan>(
        [&](collet_plan_t** out) { return COLLET_CALL(collet_plan_create, device, &desc, out); });
  });
}

void add_stream_uses(Objects& of, Uses& uses) {
  const auto add = [&](const char* function, auto call) {
    uses.push_back({function, "stream", HandleKind::kStream,
                    [=](void* handle) { return call(as<collet_stream_t>(handle)); }});
  };
  add("collet_stream_retain",
      [](collet_stream_t* stream) { return COLLET_CALL(collet_stream_retain, stream); });
  add("collet_stream_info", [](collet_stream_t* stream) {
    auto out = out_struct<collet_stream_info_t>(COLLET_STRUCT_STREAM_INFO);
    return COLLET_CALL(collet_stream_info, stream, &out);
  });
  add("collet_stream_query",
      [](collet_stream_t* stream) { return COLLET_CALL(collet_stream_query, stream); });
  add("collet_stream_synchronize",
      [](collet_stream_t* stream) { return COLLET_CALL(collet_stream_synchronize, stream, 0); });
  add("collet_stream_failure", [](collet_stream_t* stream) {
    auto out = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
    return COLLET_CALL(collet_stream_failure, stream, &out);
  });
  add("collet_stream_reset",
      [](collet_stream_t* stream) { return COLLET_CALL(collet_stream_reset, stream); });
  add("collet_stream_annotate", [](collet_stream_t* stream) {
    return COLLET_CALL(collet_stream_annotate, stream, 1, "label");
  });
  add("collet_stream_host_function", [](collet_stream_t* stream) {
    return COLLET_CALL(
        collet_stream_host_function, stream, [](void*, collet_status_t) {}, nullptr);
  });
  add("collet_stream_wait_event", [&of](collet_stream_t* stream) {
    return COLLET_CALL(collet_stream_wait_event, stream, of.event.get());
  });
  add("collet_event_record", [&of](collet_stream_t* stream) {
    return COLLET_CALL(collet_event_record, of.event.get(), stream);
  });
  add("collet_buffer_alloc", [](collet_stream_t* stream) {
    const collet_alloc_desc_t desc = alloc_desc(64);
    return made<Buffer>([&](collet_buffer_t** out) {
      return COLLET_CALL(collet_buffer_alloc, stream, &desc, out);
    });
  });
  add("collet_buffer_use_on", [&of](collet_stream_t* stream) {
    return COLLET_CALL(collet_buffer_use_on, of.buffer.get(), stream);
  });
}

void add_command_uses(Objects& of, Uses& uses) {
  struct Arguments {
    collet_stream_t* stream;
    collet_buffer_t* first;
    collet_buffer_t* second;
  };
  const auto add = [&](const char* function, bool two, auto call) {
    const Arguments sound{of.stream.get(), of.buffer.get(), of.other.get()};
    uses.push_back({function, "stream", HandleKind::kStream, [=](void* handle) {
                      return call({as<collet_stream_t>(handle), sound.first, sound.second});
                    }});
    uses.push_back({function, "first buffer", HandleKind::kBuffer, [=](void* handle) {
                      return call({sound.stream, as<collet_buffer_t>(handle), sound.second});
                    }});
    if (two) {
      uses.push_back({function, "second buffer", HandleKind::kBuffer, [=](void* handle) {
                        return call({sound.stream, sound.first, as<collet_buffer_t>(handle)});
                      }});
    }
  };
  // Read by several threads at once, so that nothing writes it.
  static const unsigned char kMemory[8]{};
  add("collet_stream_copy", true, [](const Arguments& with) {
    return COLLET_CALL(collet_stream_copy, with.stream, with.first, 0, with.second, 0, 8);
  });
  add("collet_stream_copy_across", true, [&of](const Arguments& with) {
    return COLLET_CALL(collet_stream_copy_across, with.stream, with.first, 0, of.stream.get(),
                       with.second, 0, 8, nullptr);
  });
  uses.push_back(
      {"collet_stream_copy_across", "second stream", HandleKind::kStream, [&of](void* handle) {
         return COLLET_CALL(collet_stream_copy_across, of.stream.get(), of.buffer.get(), 0,
                            as<collet_stream_t>(handle), of.other.get(), 0, 8, nullptr);
       }});
  add("collet_stream_copy_rect", true, [](const Arguments& with) {
    const collet_rect_t rect{0, 0, 2, 2, 4, 4};
    return COLLET_CALL(collet_stream_copy_rect, with.stream, with.first, with.second, &rect);
  });
  add("collet_stream_write", false, [](const Arguments& with) {
    return COLLET_CALL(collet_stream_write, with.stream, with.first, 0, kMemory, 8, nullptr,
                       nullptr);
  });
  add("collet_stream_read", false, [](const Arguments& with) {
    unsigned char own[8];
    return COLLET_CALL(collet_stream_read, with.stream, own, with.first, 0, 8, nullptr, nullptr);
  });
  add("collet_stream_write_rect", false, [](const Arguments& with) {
    const collet_rect_t rect{0, 0, 2, 2, 4, 4};
    return COLLET_CALL(collet_stream_write_rect, with.stream, with.first, kMemory, &rect, nullptr,
                       nullptr);
  });
  add("collet_stream_read_rect", false, [](const Arguments& with) {
    unsigned char own[8];
    const collet_rect_t rect{0, 0, 2, 2, 4, 4};
    return COLLET_CALL(collet_stream_read_rect, with.stream, own, with.first, &rect, nullptr,
                       nullptr);
  });
  add("collet_stream_fill", false, [](const Arguments& with) {
    return COLLET_CALL(collet_stream_fill, with.stream, with.first, 0, 8, kMemory, 1);
  });
}

void add_buffer_uses(Objects& of, Uses& uses) {
  const auto add = [&](const char* function, auto call) {
    uses.push_back({function, "buffer", HandleKind::kBuffer,
                    [=](void* handle) { return call(as<collet_buffer_t>(handle)); }});
  };
  add("collet_buffer_retain",
      [](collet_buffer_t* buffer) { return COLLET_CALL(collet_buffer_retain, buffer); });
  add("collet_buffer_use_on", [&of](collet_buffer_t* buffer) {
    return COLLET_CALL(collet_buffer_use_on, buffer, of.stream.get());
  });
  add("collet_buffer_info", [](collet_buffer_t* buffer) {
    auto out = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
    return COLLET_CALL(collet_buffer_info, buffer, &out);
  });
  add("collet_buffer_host_pointer", [](collet_buffer_t* buffer) {
    void* out = nullptr;
    return COLLET_CALL(collet_buffer_host_pointer, buffer, &out);
  });
  add("collet_buffer_native_pointer", [](collet_buffer_t* buffer) {
    std::uint64_t out = 0;
    std::uint64_t offset_bytes = 0;
    return COLLET_CALL(collet_buffer_native_pointer, buffer, &out, &offset_bytes);
  });
}

void add_allocator_uses(Objects& of, Uses& uses) {
  const auto add = [&](const char* function, auto call) {
    uses.push_back({function, "allocator", HandleKind::kAllocator,
                    [=](void* handle) { return call(as<collet_allocator_t>(handle)); }});
  };
  add("collet_allocator_retain", [](collet_allocator_t* allocator) {
    const auto status = COLLET_CALL(collet_allocator_retain, allocator);
    if (status == COLLET_OK) {
      collet_allocator_release(allocator);
    }
    return status;
  });
  add("collet_allocator_statistics", [](collet_allocator_t* allocator) {
    auto out = out_struct<collet_memory_statistics_t>(COLLET_STRUCT_MEMORY_STATISTICS);
    return COLLET_CALL(collet_allocator_statistics, allocator, COLLET_MEMORY_DEVICE, &out);
  });
  add("collet_allocator_reset_peaks", [](collet_allocator_t* allocator) {
    return COLLET_CALL(collet_allocator_reset_peaks, allocator);
  });
  add("collet_allocator_set_limit", [](collet_allocator_t* allocator) {
    return COLLET_CALL(collet_allocator_set_limit, allocator, COLLET_MEMORY_DEVICE, 0);
  });
  add("collet_allocator_trim", [](collet_allocator_t* allocator) {
    std::uint64_t released_bytes = 0;
    return COLLET_CALL(collet_allocator_trim, allocator, 0, &released_bytes);
  });
  add("collet_allocator_report", [](collet_allocator_t* allocator) {
    std::uint64_t size_bytes = 0;
    return COLLET_CALL(collet_allocator_report, allocator, COLLET_REPORT_TEXT, nullptr, 0,
                       &size_bytes);
  });
  uses.push_back(
      {"collet_buffer_alloc", "desc.allocator", HandleKind::kAllocator, [&of](void* handle) {
         auto desc = alloc_desc(8);
         desc.allocator = as<collet_allocator_t>(handle);
         if (desc.allocator == nullptr) {
           // Names the device's own.
           return COLLET_CALL(collet_allocator_retain, nullptr);
         }
         collet_buffer_t* made = nullptr;
         const auto status = COLLET_CALL(collet_buffer_alloc, of.stream.get(), &desc, &made);
         collet_buffer_release(made);
         return status;
       }});
}

void add_event_uses(Objects& of, Uses& uses) {
  const auto add = [&](const char* function, const char* argument, auto call) {
    uses.push_back({function, argument, HandleKind::kEvent,
                    [=](void* handle) { return call(as<collet_event_t>(handle)); }});
  };
  add("collet_event_retain", "event",
      [](collet_event_t* event) { return COLLET_CALL(collet_event_retain, event); });
  add("collet_event_record", "event", [&of](collet_event_t* event) {
    return COLLET_CALL(collet_event_record, event, of.stream.get());
  });
  add("collet_event_query", "event",
      [](collet_event_t* event) { return COLLET_CALL(collet_event_query, event); });
  add("collet_event_synchronize", "event",
      [](collet_event_t* event) { return COLLET_CALL(collet_event_synchronize, event, 0); });
  add("collet_event_elapsed", "start", [&of](collet_event_t* event) {
    std::int64_t out = 0;
    return COLLET_CALL(collet_event_elapsed, event, of.event.get(), &out);
  });
  add("collet_event_elapsed", "end", [&of](collet_event_t* event) {
    std::int64_t out = 0;
    return COLLET_CALL(collet_event_elapsed, of.event.get(), event, &out);
  });
  add("collet_stream_wait_event", "event", [&of](collet_event_t* event) {
    return COLLET_CALL(collet_stream_wait_event, of.stream.get(), event);
  });
}

collet_status_t launch(Objects& of, collet_stream_t* stream, collet_kernel_t* kernel,
                       collet_buffer_t* buffer) {
  const std::uint32_t value = 1;
  collet_argument_t arguments[2]{};
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].buffer = buffer;
  arguments[1].kind = COLLET_ARGUMENT_SCALAR;
  arguments[1].value = &value;
  arguments[1].size_bytes = sizeof value;
  const collet_launch_t desc{{1, 1, 1}, {4, 1, 1}, of.kernel != nullptr ? 2U : 0U, arguments};
  return COLLET_CALL(collet_stream_launch, stream, kernel, &desc);
}

void add_program_uses(Objects& of, Uses& uses) {
  uses.push_back({"collet_program_retain", "program", HandleKind::kProgram, [](void* handle) {
                    return COLLET_CALL(collet_program_retain, as<collet_program_t>(handle));
                  }});
  uses.push_back({"collet_program_export", "program", HandleKind::kProgram, [](void* handle) {
                    std::uint64_t size = 0;
                    const char* format = nullptr;
                    return COLLET_CALL(collet_program_export, as<collet_program_t>(handle), nullptr,
                                       0, &size, &format);
                  }});
  uses.push_back({"collet_program_kernels", "program", HandleKind::kProgram, [](void* handle) {
                    const char* const* names = nullptr;
                    std::uint32_t count = 0;
                    return COLLET_CALL(collet_program_kernels, as<collet_program_t>(handle), &names,
                                       &count);
                  }});
  uses.push_back({"collet_kernel_create", "program", HandleKind::kProgram, [](void* handle) {
                    return made<Kernel>([&](collet_kernel_t** out) {
                      return COLLET_CALL(collet_kernel_create, as<collet_program_t>(handle),
                                         "store", out);
                    });
                  }});
  uses.push_back({"collet_kernel_retain", "kernel", HandleKind::kKernel, [](void* handle) {
                    return COLLET_CALL(collet_kernel_retain, as<collet_kernel_t>(handle));
                  }});
  uses.push_back({"collet_kernel_info", "kernel", HandleKind::kKernel, [](void* handle) {
                    auto out = out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
                    return COLLET_CALL(collet_kernel_info, as<collet_kernel_t>(handle), &out);
                  }});
  uses.push_back({"collet_stream_launch", "kernel", HandleKind::kKernel, [&of](void* handle) {
                    return launch(of, of.stream.get(), as<collet_kernel_t>(handle),
                                  of.buffer.get());
                  }});
  if (of.kernel != nullptr) {
    uses.push_back({"collet_stream_launch", "stream", HandleKind::kStream, [&of](void* handle) {
                      return launch(of, as<collet_stream_t>(handle), of.kernel.get(),
                                    of.buffer.get());
                    }});
    uses.push_back({"collet_stream_launch", "buffer", HandleKind::kBuffer, [&of](void* handle) {
                      return launch(of, of.stream.get(), of.kernel.get(),
                                    as<collet_buffer_t>(handle));
                    }});
  }
}

collet_status_t run(collet_stream_t* stream, collet_plan_t* plan, collet_buffer_t* output) {
  const collet_operand_t operands[2]{{output, 0, {}}, {nullptr, 0, {1.5}}};
  return COLLET_CALL(collet_stream_run, stream, plan, operands, 2, nullptr, 0);
}

void add_plan_uses(Objects& of, Uses& uses) {
  uses.push_back({"collet_plan_retain", "plan", HandleKind::kPlan, [](void* handle) {
                    return COLLET_CALL(collet_plan_retain, as<collet_plan_t>(handle));
                  }});
  uses.push_back({"collet_plan_support", "plan", HandleKind::kPlan, [](void* handle) {
                    auto out = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
                    return COLLET_CALL(collet_plan_support, as<collet_plan_t>(handle), &out);
                  }});
  uses.push_back({"collet_stream_run", "plan", HandleKind::kPlan, [&of](void* handle) {
                    return run(of.stream.get(), as<collet_plan_t>(handle), of.buffer.get());
                  }});
  if (of.plan != nullptr) {
    uses.push_back({"collet_stream_run", "stream", HandleKind::kStream, [&of](void* handle) {
                      return run(as<collet_stream_t>(handle), of.plan.get(), of.buffer.get());
                    }});
    uses.push_back({"collet_stream_run", "output", HandleKind::kBuffer, [&of](void* handle) {
                      return run(of.stream.get(), of.plan.get(), as<collet_buffer_t>(handle));
                    }});
  }
}

}  // namespace

ProgramImage sample_image(collet_device_t* device) {
  const std::string formats = properties_of(device).program_formats;
  if (lists(formats, COLLET_FORMAT_HOST_SO)) {
    std::ifstream file(COLLET_HOST_TEST_KERNELS, std::ios::binary);
    REQUIRE(file.good());
    return {COLLET_FORMAT_HOST_SO, Bytes(std::istreambuf_iterator<char>(file), {})};
  }
  if (lists(formats, COLLET_FORMAT_OPENCL_C)) {
    constexpr std::string_view kSource =
        "kernel void store(global uint *out, uint value) { out[get_global_id(0)] = value; }";
    return {COLLET_FORMAT_OPENCL_C, Bytes(kSource.begin(), kSource.end())};
  }
  if (lists(formats, "script")) {
    return {"script", {1}};
  }
  return {};
}

Objects::Objects(collet_device_t* on)
    : device(on),
      stream(make_stream(on)),
      buffer(allocate(stream, kBufferBytes)),
      other(allocate(stream, kBufferBytes)),
      allocator(make_allocator(on)),
      event(make_event(on)),
      other_event(make_event(on)),
      program(make_program(on)),
      kernel(make_kernel(program)),
      plan(make_plan(on, layouts)) {}

void* handle_of(const Objects& objects, HandleKind kind) {
  switch (kind) {
    case HandleKind::kDevice:
      return objects.device;
    case HandleKind::kStream:
      return objects.stream.get();
    case HandleKind::kBuffer:
      return objects.buffer.get();
    case HandleKind::kEvent:
      return objects.event.get();
    case HandleKind::kProgram:
      return objects.program.get();
    case HandleKind::kKernel:
      return objects.kernel.get();
    case HandleKind::kPlan:
      return objects.plan.get();
    case HandleKind::kAllocator:
      return objects.allocator.get();
  }
  return nullptr;
}

std::vector<HandleUse> handle_uses(Objects& objects) {
  std::vector<HandleUse> uses;
  add_device_uses(objects, uses);
  add_stream_uses(objects, uses);
  add_command_uses(objects, uses);
  add_buffer_uses(objects, uses);
  add_allocator_uses(objects, uses);
  add_event_uses(objects, uses);
  add_program_uses(objects, uses);
  add_plan_uses(objects, uses);
  for (HandleUse& use : uses) {
    // A copy joins two buffers.
    const bool second = use.argument == "second buffer";
    use.sound = second ? objects.other.get() : handle_of(objects, use.kind);
  }
  return uses;
}

}  // namespace collet::test
