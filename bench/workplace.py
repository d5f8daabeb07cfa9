"""Where comparisons are made: a folder, and the peers that can be had."""

from __future__ import annotations

from pathlib import Path

from bench.peers import NoPeer, Peer


class Workplace:
    """What comparisons share.

    Attributes:
        folder: For files that they make; removed in the end.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._peers: dict[str, tuple[Peer | None, str]] = {}

    def peer(self, name: str) -> tuple[Peer | None, str]:
        """Return a peer, started when it is first asked for; or None, and why there is none."""
        if name not in self._peers:
            try:
                self._peers[name] = (Peer(name), "")
            except NoPeer as reason:
                self._peers[name] = (None, str(reason))
        return self._peers[name]

    def versions(self) -> str:
        """Return what the peers are, in one line."""
        return "; ".join(peer.versions for peer, _ in self._peers.values() if peer)

    def close(self) -> None:
        """End the peers."""
        for peer, _ in self._peers.values():
            if peer:
                peer.close()
