"""Reflections on goals in a Redis that several machines share."""

from hardwon.backends.redis.reflections import RedisReflections

__all__ = ["RedisReflections"]
