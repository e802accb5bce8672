"""What answers in a robot's place: a listener, and what a bad one does with a connection."""
import socket
import threading
import time

GARBAGE = bytes((i * 7919 >> 3) & 255 for i in range(20000))


class Peer:
    """Accepts connections, and does with each what `act` does, in a thread."""

    def __init__(self, act, host="127.0.0.1", port=0):
        self.act, self.host, self.count = act, host, 0
        self.listener = socket.create_server((host, port), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.serve_one, args=(peer,), daemon=True).start()

    def serve_one(self, peer):
        try:
            self.act(peer)
        except OSError:
            pass


def for_ever(data, pause=0.001):
    def act(peer):
        while True:
            peer.sendall(data)
            time.sleep(pause)
    return act


def once(data):
    def act(peer):
        peer.sendall(data)
        while peer.recv(65536):
            pass
    return act


def silent(peer):
    threading.Event().wait()
    peer.close()


def closing(peer):
    peer.close()
