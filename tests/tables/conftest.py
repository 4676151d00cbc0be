from commands import *  # noqa: F403 - the fixtures
