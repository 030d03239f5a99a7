# SPDX-License-Identifier: Apache-2.0
"""ice_pair.py SERVER PORT TRANSPORT NAME PASSWORD MESSAGES - two ends of a call on aioice, which know a TURN server alone.

Each end has relayed candidates and no others, so whatever they say to each other is relayed, twice. Prints
"sent=N back=N relayed=N": messages, echoes, and candidates, all of which are relayed. TRANSPORT is udp, tcp or tls.
"""

import asyncio
import ssl
import sys

from aioice import Connection
from aioice.ice import TransportPolicy

PATIENCE = 20


def end(controlling, server, port, transport, name, password):
    trust_anyone = ssl.create_default_context()  # the lab's keys have no authority
    trust_anyone.check_hostname = False
    trust_anyone.verify_mode = ssl.CERT_NONE
    return Connection(
        ice_controlling=controlling,
        turn_server=(server, port),
        turn_transport="udp" if transport == "udp" else "tcp",
        turn_ssl=trust_anyone if transport == "tls" else False,
        turn_username=name,
        turn_password=password,
        use_ipv6=":" in server,
        transport_policy=TransportPolicy.RELAY,
    )


async def meet(a, b):
    """Gathers the candidates of both ends, exchanges them, and waits for a pair that works."""
    await asyncio.gather(a.gather_candidates(), b.gather_candidates())
    for one, other in ((a, b), (b, a)):
        for candidate in one.local_candidates:
            await other.add_remote_candidate(candidate)
        await other.add_remote_candidate(None)
        other.remote_username = one.local_username
        other.remote_password = one.local_password
    await asyncio.gather(a.connect(), b.connect())


async def echo(b):
    while True:
        await b.send(await b.recv())


async def main(server, port, transport, name, password, messages):
    a = end(True, server, port, transport, name, password)
    b = end(False, server, port, transport, name, password)
    await asyncio.wait_for(meet(a, b), PATIENCE)
    answers = asyncio.create_task(echo(b))
    back = 0
    for number in range(messages):
        message = number.to_bytes(4, "big") + bytes(156)
        await a.send(message)
        back += await asyncio.wait_for(a.recv(), PATIENCE) == message
    candidates = a.local_candidates + b.local_candidates
    relayed = sum(candidate.type == "relay" for candidate in candidates)
    print(f"sent={messages} back={back} relayed={relayed} other={len(candidates) - relayed}", flush=True)
    answers.cancel()
    await asyncio.gather(a.close(), b.close())


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5], int(sys.argv[6])))
