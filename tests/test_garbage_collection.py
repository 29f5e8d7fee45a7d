"""Garbage collection is paused, and what is created meanwhile is not traversed soon after."""

import gc

from roctree.garbage_collection import paused_garbage_collection


def test_objects_created_meanwhile_count_as_old():
    with paused_garbage_collection():
        assert not gc.isenabled()
        created = [[] for _ in range(10)]
    assert gc.isenabled()
    assert any(each is created for each in gc.get_objects(generation=2))
    assert gc.get_freeze_count() == 0


def test_objects_that_are_frozen_stay_so():
    mine = [[]]
    gc.freeze()
    try:
        with paused_garbage_collection():
            pass
        # Frozen objects are not listed.
        assert not any(each is mine for each in gc.get_objects())
    finally:
        gc.unfreeze()


def test_collection_that_is_off_stays_off():
    gc.disable()
    try:
        with paused_garbage_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
