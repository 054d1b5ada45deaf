# SPDX-License-Identifier: Apache-2.0
"""What a fault of the loader is."""

from typing import NamedTuple, Optional, Tuple


class Edit(NamedTuple):
    """Code of the loader, and what the fault has in its place: a statement for a statement, an
    expression for an expression. The code occurs once in its file; or `after` does, and the code
    follows it."""
    file: str
    good: str
    bad: str
    after: Optional[str] = None

    def place(self, text):
        """Where the code is in its file."""
        unique = self.good if self.after is None else self.after
        if text.count(unique) != 1:
            raise ValueError(f"{self.file} has {text.count(unique)} times, not once, the code\n"
                             f"{unique}")
        start = text.index(unique)
        if self.after is not None:
            start = text.find(self.good, start + len(unique))
        if start < 0:
            raise ValueError(f"{self.file} lacks, after {self.after}, the code\n{self.good}")
        return start, start + len(self.good)

    def choice(self, fault_id, good):
        """The code of the fault where it is chosen, and else `good`."""
        chosen = f'::collet_fault::is_chosen("{fault_id}")'
        if self.good.endswith(";"):
            return f"if ({chosen}) {{ {self.bad} }} else {{ {good} }}"
        return f"({chosen} ? ({self.bad}) : ({good}))"


class Fault(NamedTuple):
    id: str
    clause: str
    # What is wrong, in a sentence.
    says: str
    edits: Tuple[Edit, ...]
    # The fault is a crash or a hang, so that one is a kill.
    is_fatal: bool = False


def fault(fault_id, clause, says, *edits, is_fatal=False):
    return Fault(fault_id, clause, says, edits, is_fatal)
