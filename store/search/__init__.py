"""Search: over the documents of a corpus (`documents`), and over statutes in time (`law_search`)."""

from __future__ import annotations

from store.search.documents import search_documents

__all__ = ["search_documents"]
