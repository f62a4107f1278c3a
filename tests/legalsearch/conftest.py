"""What the tests of LegalSearch share with those of the store."""

from tests.store.conftest import home, lamps

__all__ = ["home", "lamps"]
