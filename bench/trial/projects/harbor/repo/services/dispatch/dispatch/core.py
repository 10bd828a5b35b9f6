"""Orders for truck drivers."""
from quay.clock import stamp
from quay.conf import load
from wire.dispatch_order import DispatchOrder


def order(job, driver):
    """A job of the planner and the driver who takes it."""
    if not driver["ref"]:
        raise ValueError("driver without reference")
    return DispatchOrder(order_id=job["id"], container=job["container"], pickup=job["pickup"], driver_ref=driver["ref"],
                         driver_phone=driver["phone"], note=job.get("note"))


def late(job, now):
    return (stamp(now) - stamp(job["pickup"])).total_seconds() / 60 > load("dispatch")["grace_min"]
