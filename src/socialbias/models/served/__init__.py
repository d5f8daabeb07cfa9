"""Language models behind an address: asked over HTTP, believed only after a handshake."""
