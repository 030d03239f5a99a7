#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
replay.py CAPTURES NAME - plays the client of a capture of the published stack, by raw IP, against the host 10.77.0.2.

    capture:   client -- SYN --> server    client <-- SYN-ACK -- server    client -- ACK --> ...
    here:      the same bytes              compared field by field         the same bytes, but for our numbers

The numbers that a server draws differ: flowID, verno, nonce and TCP's sequence number. The client's packets have ours
in their place, and the answers are compared relative to them. The stream of the server is acknowledged in the form of
the captured acknowledgements, because it may be cut into other segments. Prints each difference, and "same" if there
is none.
"""
import hashlib
import socket
import struct
import sys

CLIENT, SERVER, PROTOCOL = "10.77.0.1", "10.77.0.2", 144
SYN, ACK, FIN = 0x80, 0x20, 0x04
TCP_FIN, TCP_SYN = 1, 2
PATIENCE = 10
differences = []


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def pseudo(source, destination, protocol, length):
    return socket.inet_aton(source) + socket.inet_aton(destination) + struct.pack("!HH", protocol, length)


class Packet:
    """The fields of a packet. A captured one may be cut behind its headers."""

    def __init__(self, data, source, destination):
        self.data, self.source, self.destination = data, source, destination
        self.own, self.peer, words, self.protocol = struct.unpack_from("!IIBB", data)
        self.shl = words * 4
        self.flags = self.abilities = self.verno = self.ackno = self.nonce = None
        self.kinds, self.hops, at = [], None, 12
        while at < self.shl:
            kind, length = data[at] >> 4, data[at + 1]
            self.kinds.append(kind)
            if kind == 1:
                self.flags, self.abilities = data[at + 2], data[at + 3]
                self.verno, self.ackno = struct.unpack_from("!II", data, at + 4)
                self.nonce = data[at + 12 : at + 20]
            elif kind == 4:
                self.hops = [socket.inet_ntoa(data[i : i + 4]) for i in range(at + 4, at + length, 4)]
            at += length
        self.transport = data[self.shl :]
        self.tcp = self.protocol == 6 and len(self.transport) >= 20
        if self.tcp:
            self.ports, self.seq, self.tcp_ack = struct.unpack_from("!III", self.transport)
            self.offset, self.tcp_flags = self.transport[12] >> 4 << 2, self.transport[13]
            self.payload = self.transport[self.offset :]
            self.options = option_kinds(self.transport[20 : self.offset])

    def sound(self):
        good = checksum(self.data[: self.shl]) == 0
        if not self.transport or self.protocol == 17 and self.transport[6:8] == b"\0\0":
            return good
        head = pseudo(self.source, self.destination, self.protocol, len(self.transport))
        return good and checksum(head + self.transport) == 0


def option_kinds(options):
    kinds = []
    while options:
        kinds.append(options[0])
        options = options[1 if options[0] < 2 else options[1] :]
    return kinds


def read(path, name):
    """Returns the packets between the client and the instance, as the instance saw them."""
    packets = []
    for line in open(path):
        if line.startswith(name + "\t"):
            _, _, source, destination, data = line.split("\t")
            packet = Packet(bytes.fromhex(data.strip()), source, destination)
            if (source, destination == SERVER or packet.flags == SYN) == (CLIENT, True) or (
                source == SERVER and destination == CLIENT
            ):
                packets.append(packet)
    first = [p for p in packets if p.flags == SYN][-1]  # behind the router, if there is one
    return [p for p in packets if p.flags != SYN or p is first]


class Replay:
    def __init__(self, packets):
        self.packets = packets
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self.theirs = self.ours = None
        self.received = b""
        self.syn = None

    def differ(self, packet, what, captured, seen):
        if captured != seen:
            differences.append("flags %s: %s is %s, captured %s" % (packet.flags, what, seen, captured))

    def receive(self):
        self.socket.settimeout(PATIENCE)
        while True:
            data, (source, _) = self.socket.recvfrom(65535)
            if source != SERVER:
                continue  # what was broadcast comes back
            packet = Packet(data[20:], source, CLIENT)
            if not packet.sound():
                differences.append("a checksum is wrong: " + data[:80].hex())
            return packet

    def send(self, captured, tcp_ack=None):
        """Sends a captured packet with our server's numbers in the place of theirs."""
        data = bytearray(captured.data)
        if self.ours is not None:
            struct.pack_into("!I", data, 4, self.ours.own)
            if captured.flags is not None:
                struct.pack_into("!I", data, 20, captured.ackno - self.theirs.verno + self.ours.verno & 0xFFFFFFFF)
            if captured.tcp:
                number = captured.tcp_ack - self.theirs.seq + self.ours.seq if tcp_ack is None else tcp_ack
                struct.pack_into("!I", data, captured.shl + 8, number & 0xFFFFFFFF)
                struct.pack_into("!H", data, captured.shl + 16, 0)
                segment = bytes(data[captured.shl :])
                head = pseudo(CLIENT, SERVER, 6, len(segment))
                struct.pack_into("!H", data, captured.shl + 16, checksum(head + segment))
            struct.pack_into("!H", data, 10, 0)
            struct.pack_into("!H", data, 10, checksum(bytes(data[: captured.shl])))
        self.socket.sendto(bytes(data), (captured.destination, 0))

    def compare(self, captured, seen):
        if self.ours is None:
            self.theirs, self.ours = captured, seen
            self.differ(seen, "a fresh flowID", True, seen.own != 0)
        for what in ("source", "peer", "shl", "protocol", "kinds", "hops", "flags", "ackno"):
            self.differ(seen, what, getattr(captured, what), getattr(seen, what))
        self.differ(seen, "own flowID", self.ours.own, seen.own)
        self.differ(seen, "nonce", seen.flags and self.ours.nonce, seen.nonce)
        if captured.flags is not None:
            self.differ(seen, "verno", captured.verno - self.theirs.verno, seen.verno - self.ours.verno & 0xFFFFFFFF)
            if seen.flags != SYN | ACK:
                self.differ(seen, "abilities", 0, seen.abilities)
        if captured.protocol == 17:
            self.differ(seen, "transport", captured.transport, seen.transport)
        if captured.tcp:
            for what in ("ports", "tcp_flags", "tcp_ack", "options"):
                self.differ(seen, what, getattr(captured, what), getattr(seen, what))

    def stream(self, acknowledgement):
        """Takes the server's stream up to TCP's FIN, and acknowledges each segment."""
        after = self.ours.seq + 1 & 0xFFFFFFFF
        while True:
            seen = self.receive()
            form = (seen.own, seen.peer, seen.shl, seen.protocol, seen.ports)
            self.differ(seen, "header of data", (self.ours.own, self.theirs.peer, 12, 6, 0), form)
            if seen.tcp and seen.seq == after:
                self.received += seen.payload
                over = seen.tcp_flags & TCP_FIN
                after = after + len(seen.payload) + over & 0xFFFFFFFF
                self.send(acknowledgement, after)
                if over:
                    return after

    def play_stream(self):
        """The server closes first. Each side's FIN of SAL follows the acknowledgement of TCP's."""
        ours = [p for p in self.packets if p.source == SERVER and (p.flags is not None or not p.payload)]
        mine = [p for p in self.packets if p.source == CLIENT and (p.flags is not None or p.tcp_flags & TCP_FIN)]
        acknowledgement = [p for p in self.packets if p.source == CLIENT and p.flags is None][0]
        syn_ack, fin, tcp_ack, last = ours
        syn, ack, fin_ack, tcp_fin, own_fin = mine
        self.send(syn)
        self.compare(syn_ack, self.receive())
        self.send(ack)
        after = self.stream(acknowledgement)
        self.compare(fin, self.receive())
        self.send(fin_ack)
        self.send(tcp_fin, after)
        self.compare(tcp_ack, self.receive())
        self.send(own_fin)
        self.compare(last, self.receive())
        print(len(self.received), hashlib.sha256(self.received).hexdigest())

    def play(self):
        """Each packet in its turn, as in the capture."""
        for packet in self.packets:
            if packet.source == CLIENT:
                self.send(packet)
            else:
                self.compare(packet, self.receive())


def main():
    replay = Replay(read(sys.argv[1], sys.argv[2]))
    try:
        if replay.packets[0].protocol == 6:
            replay.play_stream()
        else:
            replay.play()
    except socket.timeout:
        differences.append("no answer")
    print("\n".join(differences) if differences else "same")


main()
