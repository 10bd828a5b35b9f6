"""Adapters for agents in Python: one module per framework, and a plain one for all others.

None of them is a dependency of hardwon: import the module of the framework you have.
"""
