#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""COLLET_MEMORY_HISTORY, and what `collet memory show` makes of its file."""

import argparse
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COLLET = None
PROGRAM = None
PLUGINS = None


def run(*command, **variables):
    """Exit status, stdout and stderr."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COLLET_")}
    environment["COLLET_PLUGIN_PATH"] = str(PLUGINS)
    environment["COLLET_CACHE_DIR"] = "/dev/null/nothing"
    # The program ends with a buffer alive, which the history is to tell.
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment.update(variables)
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def head(**changes):
    """The first line of a history with one pool and three tags."""
    fields = {
        "format": "collet memory history", "version": 1, "program": "/bin/trainer",
        "process": 7, "started_unix_ms": 0, "forgotten_events": 0, "lost_events": 0,
        "baseline_events": 0,
        "pools": [{"device": "cpu:0", "name": "Some CPU", "allocator": "device",
                   "kind": "device"}],
        "streams": [{"number": 1, "device": "cpu:0", "label": "main"}],
        "tags": ["weights", "scores"],
        "frames": [{"module": "/no/such/trainer", "offset": 16, "function": "step(int)"},
                   {"module": "/no/such/trainer", "offset": 32, "function": "collet::allocate()"}],
        "stacks": [[0], [1, 0]]}
    fields.update(changes)
    return fields


GOOD = [
    ["segment_alloc", 0, 0, 0, 0, 2 << 20, 0, 0, 0, 0],
    ["alloc", 1_000_000_000, 0, 0, 0, 4096, 4000, 1, 1, 1],
    ["alloc", 2_000_000_000, 0, 0, 4096, 1024, 1000, 1, 2, 2],
    ["free_requested", 3_000_000_000, 0, 0, 4096, 1024, 0, 0, 2, 0],
    ["free_completed", 3_500_000_000, 0, 0, 4096, 1024, 0, 0, 2, 0],
    ["oom", 4_000_000_000, 0, 0, 0, 1 << 30, 1 << 30, 1, 2, 1],
]


class Page(html.parser.HTMLParser):
    """What a browser would fetch, and the data of the page."""

    def __init__(self, text):
        super().__init__()
        self.fetched = []
        self.scripts = 0
        self._in_data = False
        self.data = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.fetched += [name for name, value in attributes if name in ("src", "href", "data")]
        if tag in ("link", "img", "iframe", "object", "base"):
            self.fetched.append(tag)
        self.scripts += tag == "script"
        self._in_data = ("id", "data") in attributes

    def handle_endtag(self, tag):
        self._in_data = False

    def handle_data(self, data):
        if self._in_data:
            self.data += data


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "run.history"
        self.page = self.folder / "run.html"

    def write(self, head_fields, events):
        lines = [json.dumps(line) for line in [head_fields, *events]]
        self.file.write_text("".join(line + "\n" for line in lines))

    def show(self, *options):
        return run(COLLET, "memory", "show", self.file, *options)


class Recording(Case):
    def test_a_process_saves_its_history_when_it_exits(self):
        status, _, err = run(PROGRAM, "cpu", COLLET_MEMORY_HISTORY=str(self.file))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(os.listdir(self.folder), ["run.history"])
        status, out, err = self.show()
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^memory of \S+, process \d+, from \d{4}-\d\d-\d\d ")
        self.assertRegex(out, r'cpu:0 \(.*\), allocator "device", device memory')
        self.assertRegex(out, r"allocated +4\.00 MiB at most")
        self.assertRegex(out, r"buffers +2, of which 1 were not released")
        after = out.split("not released at the end, by tag")[1]
        self.assertRegex(after, r"3\.00 MiB +1 buffer +weights")
        # The name of a static function, which only the file of the program tells.
        self.assertRegex(after, r"by caller\n +3\.00 MiB +1 buffer +allocate at ")

    def test_a_forked_child_leaves_the_file_of_its_parent(self):
        name = str(self.folder / "run.%p.history")
        status, _, err = run(PROGRAM, "cpu", "fork", COLLET_MEMORY_HISTORY=name)
        self.assertEqual((status, err), (0, ""))
        files = os.listdir(self.folder)
        self.assertEqual(len(files), 1)
        self.assertRegex(files[0], r"^run\.\d+\.history$")
        process = json.loads((self.folder / files[0]).read_text().splitlines()[0])["process"]
        self.assertEqual(files[0], f"run.{process}.history")

    def test_a_file_that_cannot_be_written_is_told_and_changes_nothing_else(self):
        status, _, err = run(PROGRAM, "cpu", COLLET_MEMORY_HISTORY="/nowhere/run.history")
        self.assertEqual(status, 0)
        self.assertRegex(err, "COLLET_MEMORY_HISTORY: cannot write .*/nowhere/run.history.*: "
                              "No such file or directory")

    def test_an_empty_name_is_told(self):
        status, _, err = run(PROGRAM, "cpu", COLLET_MEMORY_HISTORY="")
        self.assertEqual(status, 0)
        self.assertIn("COLLET_MEMORY_HISTORY is empty", err)


class Text(Case):
    def test_everything_that_a_history_says(self):
        self.write(head(forgotten_events=3), GOOD)
        status, out, err = self.show()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.splitlines(), [
            "memory of trainer, process 7, from 1970-01-01 00:00:00 UTC, 4.000 s, 6 events",
            "3 earlier events are forgotten; what they left allocated is not",
            "",
            'cpu:0 (Some CPU), allocator "device", device memory',
            " allocated  5.00 KiB at most, at 2.000 s",
            " reserved   2.00 MiB at most",
            " waiting    1.00 KiB at most: released, and still used by streams",
            " buffers    2, of which 1 were not released",
            " failed     1 for want of memory",
            "",
            " when most was allocated, by tag",
            "  4.00 KiB  1 buffer  weights",
            "  1.00 KiB  1 buffer  scores",
            "",
            " when most was allocated, by caller",
            "  5.00 KiB  2 buffers  step(int) at trainer+0x10",
            "",
            " not released at the end, by tag",
            "  4.00 KiB  1 buffer  weights",
            "",
            " not released at the end, by caller",
            "  4.00 KiB  1 buffer  step(int) at trainer+0x10",
        ])

    def test_events_that_contradict_the_history_are_left_out(self):
        again = [event[:1] + [5_000_000_000] + event[2:] for event in GOOD]
        self.write(head(stacks=[]), [
            ["free_completed", 0, 0, 0, 0, 8, 0, 0, 0, 0],
            ["free_requested", 0, 0, 0, 0, 8, 0, 0, 0, 0],
            ["segment_free", 0, 0, 9, 0, 8, 0, 0, 0, 0],
            *(event[:9] + [0] for event in GOOD[:2]), again[1][:9] + [0],
            again[0]])
        status, out, _ = self.show()
        self.assertEqual(status, 0)
        self.assertIn(" allocated  4.00 KiB at most", out)
        self.assertIn(" reserved   2.00 MiB at most", out)

    def test_nothing(self):
        self.write(head(), [])
        self.assertEqual(self.show()[1].splitlines()[1:], ["nothing was allocated"])


class HtmlPage(Case):
    def make(self):
        status, out, err = self.show("--html", self.page)
        self.assertEqual((status, out, err), (0, "", ""))
        return Page(self.page.read_text())

    def test_a_page_needs_nothing_else(self):
        self.write(head(), GOOD)
        page = self.make()
        self.assertEqual(page.fetched, [])
        for word in ("http:", "https:", "@import", "url(", "fetch(", "XMLHttp", "import("):
            self.assertNotIn(word, self.page.read_text())

    def test_its_data_are_those_of_the_history(self):
        self.write(head(), GOOD)
        data = json.loads(self.make().data)
        [pool] = data["pools"]
        self.assertEqual(pool["peak_allocated"], 5120)
        self.assertEqual(pool["groups"], ["weights", "scores"])
        columns = pool["columns"]
        self.assertEqual((columns["begin"], columns["end"]), (0, 4))
        count = len(columns["reserved"])
        at = lambda seconds: min(int(seconds / 4 * count), count - 1)
        for seconds, weights, scores, waiting in (
                (0.5, 0, 0, 0), (1.5, 4096, 0, 0), (2.5, 4096, 1024, 0), (3.2, 4096, 0, 1024),
                (3.9, 4096, 0, 0)):
            with self.subTest(seconds=seconds):
                self.assertEqual([group[at(seconds)] for group in columns["groups"]],
                                 [weights, scores])
                self.assertEqual(columns["waiting"][at(seconds)], waiting)
                self.assertEqual(columns["reserved"][at(seconds)], 2 << 20)
        self.assertEqual(pool["segments"], [[0, 2 << 20, 0, 0, None]])
        self.assertEqual(sorted(pool["blocks"]), [
            [0, 0, 4096, 4000, 0, 1, 1, 1, 1, None, None],
            [0, 4096, 1024, 1000, 1, 2, 1, 2, 2, 3, 3.5]])
        self.assertEqual(pool["failures"], [[4, 1 << 30]])
        self.assertEqual(data["callers"], ["", "step(int) at trainer+0x10",
                                           "step(int) at trainer+0x10"])

    def test_the_parts_of_many_tags_sum_up(self):
        tags = [f"tag {i}" for i in range(40)]
        events = [GOOD[0]] + [["alloc", i, 0, 0, 512 * i, 512, 1, 1, i + 1, 0] for i in range(40)]
        self.write(head(tags=tags), events)
        [pool] = json.loads(self.make().data)["pools"]
        self.assertEqual(pool["groups"][-1], "(other tags)")
        self.assertEqual(sum(group[-1] for group in pool["columns"]["groups"]), 40 * 512)

    def test_a_name_cannot_become_a_part_of_the_page(self):
        evil = "</script><script>alert(1)</script><!--"
        self.write(head(tags=[evil, evil], program="/bin/" + evil,
                        streams=[{"number": 1, "device": "cpu:0", "label": evil}]), GOOD)
        page = self.make()
        self.assertEqual(page.scripts, 2)
        self.assertEqual(json.loads(page.data)["tags"][1], evil)

    def test_segments_that_live_at_the_same_time_do_not_cover_each_other(self):
        events, live, time = [], [], 0
        for number in range(60):
            time += 1
            events.append(["segment_alloc", time, 0, number, 0, 1 << (12 + number * 7 % 5), 0, 0,
                           0, 0])
            live.append(number)
            if number % 3 == 2:
                time += 1
                events.append(["segment_free", time, 0, live.pop(number % len(live)), 0, 0, 0, 0,
                               0, 0])
        self.write(head(), events)
        [pool] = json.loads(self.make().data)["pools"]
        segments = pool["segments"]
        self.assertEqual(len(segments), 60)
        for i, (_, size, bottom, begin, end) in enumerate(segments):
            for _, other_size, other_bottom, other_begin, other_end in segments[:i]:
                apart_in_time = (end is not None and end <= other_begin) or (
                    other_end is not None and other_end <= begin)
                apart = bottom + size <= other_bottom or other_bottom + other_size <= bottom
                self.assertTrue(apart_in_time or apart)

    def test_a_page_that_cannot_be_written_is_told(self):
        self.write(head(), GOOD)
        status, _, err = self.show("--html", "/nowhere/page.html")
        self.assertEqual(status, 2)
        self.assertEqual(err, "collet: cannot write /nowhere/page.html: "
                              "No such file or directory\n")


class Malformed(Case):
    def refused(self, *parts):
        status, out, err = self.show()
        self.assertEqual((status, out), (2, ""))
        self.assertTrue(err.startswith(f"collet: {self.file}: line "), err)
        for part in parts:
            self.assertIn(part, err)

    def test_no_file(self):
        status, _, err = self.show()
        self.assertEqual(status, 2)
        self.assertIn("cannot open", err)
        self.assertIn("No such file or directory", err)

    def test_files_of_another_kind(self):
        for text, part in (("", "line 1 is missing"), ("{", "line 1 is no JSON"),
                           ("[]", "object"), ("{}", 'lacks "format"'),
                           ('{"format": "else"}', "is not that of a history of memory"),
                           ("\0" * 100, "is no JSON"), ("[" * 100_000, "is no JSON")):
            with self.subTest(text=text[:20]):
                self.file.write_text(text)
                self.refused(part)

    def test_each_field_of_the_head_is_checked(self):
        for name in head():
            with self.subTest(lacks=name):
                fields = head()
                del fields[name]
                self.write(fields, [])
                self.refused(f'line 1 lacks "{name}"')
            with self.subTest(wrong=name):
                self.write(head(**{name: {"x": 1.5}}), [])
                self.refused("line 1 ")
        self.write(head(version=2), [])
        self.refused("version 2")
        self.write(head(baseline_events=1), [])
        self.refused("line 2 is missing")
        self.write(head(stacks=[[2]]), [])
        self.refused("a frame is 2, and may be 1 at most")

    def test_each_field_of_an_event_is_checked(self):
        for place in range(10):
            for value in (-1, 1.5, "x", None, 1 << 63, 1 << 64, [[]]):
                with self.subTest(place=place, value=value):
                    event = list(GOOD[1])
                    event[place] = value
                    self.write(head(), [GOOD[0], event])
                    self.refused("line 3 ")
        for event in (GOOD[1][:9], GOOD[1] + [0], {}, 5, []):
            with self.subTest(event=event):
                self.write(head(), [event])
                self.refused("line 2 ")
        self.write(head(), [GOOD[1], GOOD[0]])
        self.refused("line 3 is earlier than the one before")
        self.write(head(pools=[]), [GOOD[0]])
        self.refused("line 2 is of a pool that is not there")

    def test_a_file_that_was_cut(self):
        self.write(head(), GOOD)
        self.file.write_text(self.file.read_text()[:-10])
        self.refused("line 7 is no JSON")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--collet", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--plugins", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    COLLET, PROGRAM, PLUGINS = options.collet, options.program, options.plugins
    unittest.main(argv=[sys.argv[0], *rest])
