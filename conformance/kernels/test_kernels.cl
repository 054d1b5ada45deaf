// SPDX-License-Identifier: Apache-2.0
// The kernels of test_kernels.cpp in the format opencl-c; only "fail" has no counterpart, because
// OpenCL C has no way to end a kernel with a failure.

ulong linear_group(void) {
  return get_group_id(0) +
         get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
}

ulong linear_item(void) {
  return get_local_id(0) +
         get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
}

void count_item(global uint *counts) {
  const ulong items = get_local_size(0) * get_local_size(1) * get_local_size(2);
  atomic_inc(counts + linear_group() * items + linear_item());
}

// counts[group] += 1; ids[group] = its index, grid and size.
kernel void stamp(global uint *counts, global ulong *ids) {
  if (linear_item() != 0) return;
  const ulong at = linear_group();
  atomic_inc(counts + at);
  for (int axis = 0; axis < 3; ++axis) {
    ids[at * 9 + axis] = get_group_id(axis);
    ids[at * 9 + 3 + axis] = get_num_groups(axis);
    ids[at * 9 + 6 + axis] = get_local_size(axis);
  }
}

// counts[item] += 1, for each item of the launch along x, y and z.
kernel void items(global uint *counts) { count_item(counts); }

// Writes the values one after another.
kernel void scalars(global uchar *out, uchar a, ushort b, uint c, ulong d, ulong8 e) {
  const ulong words[8] = {e.s0, e.s1, e.s2, e.s3, e.s4, e.s5, e.s6, e.s7};
  out[0] = a;
  for (int i = 0; i < 2; ++i) out[1 + i] = (uchar)(b >> 8 * i);
  for (int i = 0; i < 4; ++i) out[3 + i] = (uchar)(c >> 8 * i);
  for (int i = 0; i < 8; ++i) out[7 + i] = (uchar)(d >> 8 * i);
  for (int i = 0; i < 64; ++i) out[15 + i] = (uchar)(words[i / 8] >> 8 * (i % 8));
}

kernel void set(global uint *out, uint value) { out[0] = value; }

// log[++log[0]] = value. For one group.
kernel void append(global uint *log, uint value) {
  const uint at = log[0] + 1;
  log[0] = at;
  log[at] = value;
}

// out[0] = the address of memory.
kernel void address(global ulong *out, global uchar *memory) { out[0] = (ulong)memory; }

// Fills both local memories with bytes of this group, and finds them again; out[group] = 1, or else
// which was disturbed.
kernel void locals(global uint *out, local uchar *a, local uchar *b, ulong a_size, ulong b_size) {
  const ulong at = linear_group();
  uint verdict = 1;
  if ((ulong)a % 64 != 0) verdict = 2;
  if ((ulong)b % 64 != 0) verdict = 3;
  for (uint round = 0; round < 3 && verdict == 1; ++round) {
    const uchar mark = (uchar)(at * 3 + round);
    for (ulong i = 0; i < a_size; ++i) a[i] = (uchar)(mark + i);
    for (ulong i = 0; i < b_size; ++i) b[i] = (uchar)(~(mark + i));
    for (ulong i = 0; i < a_size; ++i) {
      if (a[i] != (uchar)(mark + i)) verdict = 4;
    }
    for (ulong i = 0; i < b_size; ++i) {
      if (b[i] != (uchar)(~(mark + i))) verdict = 5;
    }
  }
  out[at] = verdict;
}

// As items; only for groups of 4 x 2 x 3.
kernel __attribute__((reqd_work_group_size(4, 2, 3))) void shaped(global uint *counts) {
  count_item(counts);
}
