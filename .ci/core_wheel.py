"""The wheel of a release: hardwon without the parts that the distribution hardwon-extras ships.

This is a build target of its own, so that `pip install '.[serve]'` in a clone or of the sdist gets
one wheel with everything: it must not look for a hardwon-extras of the same version elsewhere.
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from hatchling.builders import wheel

EXTRAS = os.path.join("packages", "extras")


class CoreWheel(wheel.WheelBuilder):
    """`python -m hatchling build -t custom`."""

    @property
    def target_config(self) -> dict[str, Any]:
        apart = [os.path.normpath(os.path.join(EXTRAS, path)) for path in self._parts()]
        return {**super().target_config, "exclude": [f"/{path}" for path in apart]}

    def get_default_build_data(self) -> dict[str, Any]:
        pin = f"hardwon-extras=={self.metadata.version}"
        extras = self.metadata.core.optional_dependencies.items()
        needed = [f"{pin}; extra == '{name}'" for name, packages in extras if packages]
        return {**super().get_default_build_data(), "dependencies": needed}

    def _parts(self) -> list[str]:
        with open(os.path.join(self.root, EXTRAS, "pyproject.toml"), "rb") as file:
            targets = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]
        return list(targets["wheel"]["force-include"])
