#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints `passed failed skipped` of a JUnit file that ctest wrote."""

import sys
import xml.etree.ElementTree as ElementTree


def count(suite):
    passed = failed = skipped = 0
    for case in suite.iter("testcase"):
        if case.get("status") == "run":
            passed += 1
        # A test whose program was not built is "notrun" as well, but was not skipped by itself.
        elif case.find("skipped") is not None and "SKIP_RETURN_CODE" in (
                case.find("skipped").get("message") or ""):
            skipped += 1
        elif case.get("status") == "disabled":
            skipped += 1
        else:
            failed += 1
    return passed, failed, skipped


if __name__ == "__main__":
    print(*count(ElementTree.parse(sys.argv[1]).getroot()))
