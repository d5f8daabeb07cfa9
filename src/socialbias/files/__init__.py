"""Files: written whole or not at all, unpacked, and unpickled without running anything."""
