"""The order of what happens: doors, recorder, worker. The only room with policy."""
