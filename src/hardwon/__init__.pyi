"""The public names; `__init__.py` imports each on first use."""

from hardwon.aio import aopen as aopen
from hardwon.api import Agent as Agent
from hardwon.api import Hardwon as Hardwon
from hardwon.api import attach as attach
from hardwon.errors import HardwonError as HardwonError
from hardwon.failures.signature import Signature as Signature
from hardwon.opening import open as open
from hardwon.settings import Settings as Settings
from hardwon.values.delivery import Delivery as Delivery
from hardwon.values.delivery import Injection as Injection
from hardwon.values.episode import Episode as Episode
from hardwon.values.episode import Trigger as Trigger
from hardwon.values.job import Job as Job
from hardwon.values.lesson import Lesson as Lesson
from hardwon.values.reflection import Reflection as Reflection
from hardwon.values.scope import Scope as Scope
from hardwon.values.step import Step as Step

__version__: str
__all__: list[str]
