#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the indices of the test images: test_indices.csv is `make_split.py > test_indices.csv`.

The 1797 indices are shuffled by Fisher and Yates with splitmix64, seed 1; the first 360 are the
test images. They are printed in ascending order.
"""

IMAGES = 1797
TEST_IMAGES = 360
SEED = 1
MASK = (1 << 64) - 1


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def shuffled(count, seed):
    numbers = splitmix64(seed)
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = (next(numbers) * (i + 1)) >> 64
        order[i], order[j] = order[j], order[i]
    return order


test = sorted(shuffled(IMAGES, SEED)[:TEST_IMAGES])
for row in range(0, TEST_IMAGES, 15):
    print(", ".join(str(index) for index in test[row:row + 15]) + ",")
