# SPDX-License-Identifier: Apache-2.0
"""frames.py KIND CAPTURED PCAP: writes frames for the check of the dissector, and prints the title of each.

KIND is "whole" (the captured packets, and made ones for each form, extension and refusal), "elsewhere" (other ports and
another protocol number), "cut" (a choice of whole ones at every length) or "mutants" (that choice with random changes,
by a fixed seed). CAPTURED is captured-packets.tsv.
"""
import ipaddress
import random
import struct
import sys

CUT = 64  # captured-packets.tsv has at most so many bytes behind the SAL header
SEED = 17
MUTANTS = 800
TCP, UDP, SAL = 6, 17, 144
ROUTER = bytes([0, 1, 0x5B, 0x38]) + bytes(28)
SERVICE = bytes([0, 0, 0x40, 1]) + bytes(28)
CLIENT4, SERVER4 = bytes([10, 77, 0, 1]), bytes([10, 77, 0, 2])
CLIENT6, SERVER6 = (ipaddress.ip_address("fd00::" + end).packed for end in "12")


def checksum(data):
    """Returns the Internet checksum (RFC 1071)."""
    total = sum(struct.unpack("!%dH" % ((len(data) + 1) // 2), data + bytes(len(data) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def ip(source, destination, protocol, payload, missing=0):
    """Returns a packet of the addresses' family whose last bytes are missing from the capture."""
    length = len(payload) + missing
    if len(source) == 16:
        return struct.pack("!IHBB", 6 << 28, length, protocol, 64) + source + destination + payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, protocol, 0) + source + destination
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def encapsulated(source, destination, sal, ports=(54324, 54325), missing=0):
    """Returns SAL in UDP. Its checksum is 0, for none; in IPv6 it is one that Wireshark does not verify by default."""
    head = struct.pack("!HHHH", *ports, 8 + len(sal) + missing, 0 if len(source) == 4 else 1)
    return ip(source, destination, UDP, head + sal, missing)


def extension(number, value, length=None):
    return bytes([number << 4, 2 + len(value) if length is None else length]) + value


def control(flags, verno=7, ackno=0, abilities=0, nonce=b"\1\2\3\4\5\6\7\x08"):
    return extension(1, struct.pack("!BBII", flags, abilities, verno, ackno) + nonce)


def service(identity=SERVICE):
    return extension(2, bytes(2) + identity)


def hops(*entries):
    return extension(6, bytes(2) + b"".join(struct.pack("!HH", 0, port) + address for address, port in entries))


def mapped(address):
    return bytes(10) + b"\xff\xff" + address


def sal(extensions, transport=b"", flows=(0x1A2B3C4D, 0), protocol=UDP, words=None, damage=0):
    """Returns a packet of SAL, with PADs up to the next word, and a checksum that is wrong by the damage."""
    extensions += bytes(-len(extensions) % 4)
    words = 3 + len(extensions) // 4 if words is None else words
    head = struct.pack("!IIBB", *flows, words, protocol)
    good = checksum((head + bytes(2) + extensions + transport)[: words * 4])
    return head + struct.pack("!H", good ^ damage) + extensions + transport


def udp(payload=b"", ends=struct.pack("!II", 0x1A2B3C4D, 0), length=None, damage=0):
    """Returns a UDP header and payload. The ends, flowIDs or addresses, stand in the pseudo-header."""
    length = 8 + len(payload) if length is None else length
    good = checksum(ends + struct.pack("!HHHHHH", UDP, 8 + len(payload), 0, 0, length, 0) + payload)
    return struct.pack("!HHHH", 0, 0, length, good ^ damage) + payload


def tcp(options=b"", ends=struct.pack("!II", 0x1A2B3C4D, 0), offset=None, damage=0):
    offset = 5 + len(options) // 4 if offset is None else offset
    head = struct.pack("!HHIIBBHHH", 0, 0, 1, 0, offset << 4, 2, 1000, 0, 0) + options
    good = checksum(ends + struct.pack("!HH", TCP, len(head)) + head)
    return head[:16] + struct.pack("!H", good ^ damage) + head[18:]


def captured(path):
    """Yields title and IP packet of each line, and the bytes that the capture lacks."""
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, frame, source, destination, data = line.rstrip("\n").split("\t")
            data = bytes.fromhex(data)
            missing = 1000 if len(data) - data[8] * 4 == CUT else 0
            ends = (ipaddress.ip_address(end).packed for end in (source, destination))
            yield f"{name} {frame}", ip(*ends, SAL, data, missing), missing


def forms():
    """Yields packets of this block's own: the encapsulated form, IPv6, and the extensions that no capture has."""
    to_server = lambda data: encapsulated(CLIENT4, SERVER4, data)
    list4 = hops((mapped(CLIENT4), 54324), (mapped(SERVER4), 54325))
    yield "SYN with HOPS", to_server(sal(control(0x80) + service() + list4, udp()))
    yield "SYN with HOPS in IPv6", encapsulated(
        CLIENT6, SERVER6, sal(control(0x80) + service() + hops((CLIENT6, 1), (SERVER6, 2)), udp()))
    asks = lambda *tickets: extension(7, bytes(2) + b"".join(tickets))
    yield "SYN that asks for TICKETS", to_server(sal(control(0x80) + service() + asks(), udp()))
    yield "SYN with TICKETS", to_server(sal(control(0x80) + service() + asks(b"ticket-1") + list4, udp()))
    flows = struct.pack("!II", 5, 6)
    yield "SYN-ACK with abilities", to_server(sal(control(0xA0, 9, 8, 5), udp(ends=flows), (5, 6)))
    capability = extension(5, struct.pack("!HII", 0, 5, 0xABCD))
    yield "ACK with CAPABILITY", to_server(sal(control(0x20, 8, 10) + service() + capability, udp(ends=flows), (5, 6)))
    for name, flags in (("RSYN", 0x40), ("RSYN-ACK", 0x60), ("RSYN-FIN", 0x44), ("RST-ACK", 0x28)):
        yield name, to_server(sal(control(flags, 9, 8), b"", (5, 6)))
    address = extension(3, struct.pack("!HII", 0, 3, 4) + CLIENT4 + SERVER4)
    yield "ADDRESS and a free type", to_server(sal(control(0x20) + address + extension(9, b"abc"), b"", (5, 6)))
    yield "data over IPv6 without UDP", ip(
        CLIENT6, SERVER6, SAL, sal(b"", udp(b"hello", CLIENT6 + SERVER6), (5, 6)))
    register = struct.pack("!BBHIBBBB", 1, 0, 48, 3, 1, 0, 20, 0) + CLIENT4 + SERVICE
    yield "UNREGISTER after a move", to_server(sal(service(ROUTER) + service(), udp(register)))
    options = bytes.fromhex("020405a801030301")
    yield "TCP with options", to_server(sal(control(0x80) + service(), tcp(options), protocol=TCP))
    third = struct.pack("!HHHH", 54324, 54325, 20, 0) + sal(b"")
    second = struct.pack("!HHHH", 54324, 54325, 40, 0) + sal(b"", third)
    yield "SAL in the UDP of SAL, three deep", to_server(sal(b"", second, (5, 6)))


def refusals():
    """Yields a packet for each refusal, whose name is the title."""
    syn, source = control(0x80) + service(), extension(4, bytes(2) + CLIENT4 + SERVER4)
    capability, address = extension(5, bytes(6)), extension(3, bytes(14))
    cases = {
        "SHORT": sal(b"")[:11],
        "HEADER_LENGTH": sal(b"", words=2),
        "HEADER_CUT": sal(b"", words=4),
        "CHECKSUM": sal(syn, damage=1),
        "EXTENSION_CUT": sal(control(0x20) + extension(9, b"ab", 5)),
        "EXTENSION_CUT of its length": sal(bytes(3) + b"\x90"),
        "EXTENSION_LENGTH": sal(extension(1, bytes(20))),
        "EXTENSION_LENGTH of 1": sal(extension(9, bytes(2), 1)),
        "EXTENSION_COUNT": sal(extension(9, b"ab") * 11),
        "CONTROL_PLACE": sal(service() + control(0x80)),
        "CONTROL_REPEATED": sal(control(0x80) * 2),
        "SERVICE_REPEATED": sal(service() * 3),
        "ADDRESS_REPEATED": sal(address * 2),
        "SOURCE_REPEATED": sal(source * 2),
        "CAPABILITY_REPEATED": sal(capability * 2),
        "HOPS_REPEATED": sal(hops((CLIENT6, 1)) * 2),
        "TICKETS_REPEATED": sal(extension(7, bytes(2)) * 2),
        "FLAGS": sal(control(0xC0)),
        "PROTOCOL": sal(syn, b"x", protocol=1),
        "LENGTH": sal(syn, udp(length=9)),
        "CHECKSUM of UDP": sal(syn, udp(damage=1)),
        "SHORT of TCP": sal(syn, bytes(19), protocol=TCP),
        "OFFSET": sal(syn, tcp(offset=4), protocol=TCP),
        "OPTION": sal(syn, tcp(bytes([2, 3, 0, 0])), protocol=TCP),
        "CHECKSUM of TCP": sal(syn, tcp(damage=1), protocol=TCP),
    }
    for name, data in cases.items():
        yield name, encapsulated(CLIENT4, SERVER4, data)
    yield "FAMILY", encapsulated(CLIENT6, SERVER6, sal(syn + source))


def whole(path):
    yield from captured(path)
    for name, packet in [*forms(), *refusals()]:
        yield name, packet, 0


def elsewhere(_):
    """Yields a SYN on other UDP ports, and one with another protocol number, whose UDP has the IP addresses."""
    syn = control(0x80) + service()
    yield "other ports", encapsulated(CLIENT4, SERVER4, sal(syn, udp()), (7000, 7001)), 0
    yield "another protocol number", ip(CLIENT4, SERVER4, 253, sal(syn, udp(ends=CLIENT4 + SERVER4))), 0


def chosen(path):
    """Yields packets of each kind, with title and index of the first byte of SAL."""
    frames = {"1", "2", "3", "4", "7"}  # in each capture the first of each kind of packet
    kinds = [(title, packet) for title, packet, missing in captured(path) if title.split()[1] in frames and not missing]
    for title, packet in [*kinds, *forms()]:
        head = 40 if packet[0] >> 4 == 6 else 20
        protocol = packet[6] if head == 40 else packet[9]
        yield title, packet, head + (8 if protocol == UDP else 0)


def shortened(packet, start, length):
    """Returns a packet that ends behind so many bytes of SAL, with the lengths of IP and UDP that go with it."""
    source, destination = (packet[8:24], packet[24:40]) if packet[0] >> 4 == 6 else (packet[12:16], packet[16:20])
    data = packet[start : start + length]
    return encapsulated(source, destination, data) if start in (28, 48) else ip(source, destination, SAL, data)


def cut(path):
    for title, packet, start in chosen(path):
        for length in range(len(packet) - start):
            yield f"{title} sent with {length} bytes", shortened(packet, start, length), 0
            yield f"{title} captured for {length} bytes", packet[: start + length], len(packet) - start - length


def mutants(path):
    dice = random.Random(SEED)
    packets = list(chosen(path))
    for number in range(MUTANTS):
        title, packet, start = dice.choice(packets)
        changed = bytearray(packet)
        for _ in range(dice.randint(1, 4)):
            changed[dice.randrange(start, len(changed))] = dice.choice((0, 1, 2, 0x7F, 0xFF, dice.randrange(256)))
        if dice.random() < 0.7 and start + 12 <= start + changed[start + 8] * 4 <= len(changed):
            end = start + changed[start + 8] * 4
            changed[start + 10 : start + 12] = bytes(2)
            changed[start + 10 : start + 12] = struct.pack("!H", checksum(bytes(changed[start:end])))
        yield f"mutant {number} of {title}", bytes(changed), 0


KINDS = {"whole": whole, "elsewhere": elsewhere, "cut": cut, "mutants": mutants}


def main(kind, path, pcap):
    with open(pcap, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))  # 101: IP without a link layer
        for number, (title, packet, missing) in enumerate(KINDS[kind](path)):
            out.write(struct.pack("<IIII", number, 0, len(packet), len(packet) + missing) + packet)
            print(title)


main(*sys.argv[1:])
