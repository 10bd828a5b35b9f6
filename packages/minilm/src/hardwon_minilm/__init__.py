"""Where the weights of all-MiniLM-L6-v2 lie; hardwon reads them with numpy."""

import os

WEIGHTS = os.path.join(os.path.dirname(__file__), "minilm.npz")
