"""Tables beside their readers, as `store.tables` reads them."""

from store.tables import beside as beside
