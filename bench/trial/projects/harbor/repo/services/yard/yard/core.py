"""Slots of the yard."""
from quay.conf import load


class Yard:
    def __init__(self):
        self.slots = {}

    def admit(self, container, slot):
        """Put a container on a slot such as B-07-2 (block, row, height)."""
        if len(container) != 11:
            raise ValueError(f"container number {container}")
        block, row, height = slot.split("-")
        conf = load("yard")
        if block not in conf["blocks"] or int(row) > conf["rows"] or int(height) > conf["height"]:
            raise ValueError(f"no slot {slot}")
        if slot in self.slots:
            raise ValueError(f"{slot} is taken by {self.slots[slot]}")
        self.slots[slot] = container

    def leave(self, container):
        for slot, c in list(self.slots.items()):
            if c == container:
                del self.slots[slot]
                return slot
        raise KeyError(container)

    def free(self, block):
        conf = load("yard")
        return conf["rows"] * conf["height"] - sum(s.startswith(block + "-") for s in self.slots)
