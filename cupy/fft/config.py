"""Settings of transforms on devices. The host keeps no plans, so the plan cache is empty and its limits are only kept."""
enable_nd_planning = True
use_multi_gpus = False
_limits = {'size': 16, 'memsize': -1}


class _PlanCache:
    """The cache of transform plans; always empty on the host."""

    def get_size(self):
        return _limits['size']

    def set_size(self, size):
        _limits['size'] = int(size)

    def get_curr_size(self):
        return 0

    def get_memsize(self):
        return _limits['memsize']

    def set_memsize(self, size):
        _limits['memsize'] = int(size)

    def get_curr_memsize(self):
        return 0

    def clear(self):
        pass

    def show_info(self):
        print(self)

    def __repr__(self):
        return f'Plan cache: 0 of {_limits["size"]} plans in use'


_cache = _PlanCache()


def get_plan_cache():
    """The cache of plans of the current device and thread."""
    return _cache


def get_plan_cache_size():
    return _cache.get_size()


def set_plan_cache_size(size):
    _cache.set_size(size)


def get_plan_cache_max_memsize():
    return _cache.get_memsize()


def set_plan_cache_max_memsize(size):
    _cache.set_memsize(size)


def clear_plan_cache():
    _cache.clear()


def show_plan_cache_info():
    _cache.show_info()
