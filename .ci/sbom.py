"""Print a CycloneDX document: `sbom.py FILE…`, by the Python of the environment that it lists.

It names the released files with their digests, and every package that the environment has beside
hardwon. The same environment and files give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions
from typing import Any

_TOOLS = {"pip", "setuptools", "wheel"}  # what an environment begins with


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _purl(package: Distribution) -> str:
    return f"pkg:pypi/{_key(package.metadata['Name'])}@{package.version}"


def _licences(package: Distribution) -> list[dict[str, Any]]:
    expression, name = package.metadata["License-Expression"], package.metadata["License"]
    if expression:
        return [{"expression": expression}]
    kinds = package.metadata.get_all("Classifier") or []
    names = [kind.split(" :: ")[-1] for kind in kinds if kind.startswith("License :: ")]
    return [{"license": {"name": one}} for one in names or ([name] if name else [])]


def _component(package: Distribution, kind: str) -> dict[str, Any]:
    return {
        "type": kind,
        "bom-ref": _purl(package),
        "name": _key(package.metadata["Name"]),
        "version": package.version,
        "licenses": _licences(package),
        "purl": _purl(package),
    }


def _file(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    hashes = [{"alg": "SHA-256", "content": digest}]
    return {"type": "file", "name": os.path.basename(path), "hashes": hashes}


def document(files: list[str]) -> dict[str, Any]:
    """The document for these files and the environment of this interpreter."""
    found = {_key(one.metadata["Name"]): one for one in distributions()}
    packages = {name: one for name, one in sorted(found.items()) if name not in _TOOLS}
    own = packages.pop("hardwon")
    parts = [_file(path) for path in sorted(files)]
    needs = []
    for one in (own, *packages.values()):
        asked = {_key(re.split(r"[\s\[(;<>=!~]", text)[0]) for text in one.requires or ()}
        refs = sorted(_purl(packages[name]) for name in asked & packages.keys())
        needs.append({"ref": _purl(one), "dependsOn": refs})
    at = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([parts, needs])).urn,
        "version": 1,
        "metadata": {
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": _component(own, "application") | {"components": parts},
        },
        "components": [_component(one, "library") for one in packages.values()],
        "dependencies": needs,
    }


if __name__ == "__main__":
    print(json.dumps(document(sys.argv[1:]), indent=2))
