"""The public names; `__init__.py` imports each on first use."""

from hardwon.api import Agent as Agent
from hardwon.api import Hardwon as Hardwon
from hardwon.api import attach as attach
from hardwon.api import open as open
from hardwon.api.aio import aopen as aopen
from hardwon.core.errors import HardwonError as HardwonError
from hardwon.core.settings import Settings as Settings
from hardwon.core.values.delivery import Delivery as Delivery
from hardwon.core.values.delivery import Injection as Injection
from hardwon.core.values.job import Job as Job
from hardwon.core.values.lesson import Lesson as Lesson
from hardwon.core.values.reflection import Reflection as Reflection
from hardwon.core.values.run import Episode as Episode
from hardwon.core.values.run import Step as Step
from hardwon.core.values.run import Trigger as Trigger
from hardwon.core.values.scope import Scope as Scope
from hardwon.integrations.clients import wrap as wrap
from hardwon.knowledge.reading.signature import Signature as Signature

__version__: str
__all__: list[str]
