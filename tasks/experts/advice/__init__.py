"""The expert on advice matters."""
