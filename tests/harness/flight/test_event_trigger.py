import select

from harness.flight.event_trigger import EventTrigger


def test_the_descriptor_is_ready_from_a_call_until_it_is_checked() -> None:
    trigger = EventTrigger()
    trigger.fire()  # not open: without effect
    trigger.open()
    assert not trigger.has_fired()
    trigger.fire()
    trigger.fire()
    assert trigger.descriptor is not None
    assert select.select([trigger.descriptor], [], [], 0)[0]
    assert trigger.has_fired()
    assert not trigger.has_fired()
    trigger.close()
    trigger.close()
    assert trigger.descriptor is None
