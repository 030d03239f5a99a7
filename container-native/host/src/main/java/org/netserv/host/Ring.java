// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.util.List;

/**
 * The packet ring, as the container sees it: the twin of {@code ns_ring.h}, where the rules are.
 * All fields are little-endian.
 *
 * <pre>
 *   descriptors   256 bytes of header, then 32 bytes each (read-only to us)
 *     seq32 slot32 offset32 length32 mark32 ifindex32 mtu16 family8 flags8 usec32
 *   records       from the next page on; of minor version 0 there are none
 *     version32 state32 seq32 family8 protocol8 ttl8 0 source128 destination128 ports16+16 0
 *     packets64 bytes64 usec64 0 0
 *   relays        behind the records; before minor version 2 there are none
 *     answer64, to the peer: packets64 bytes64 usec64, to the client: likewise, 0
 *   slots         256 bytes of header, 2 * n verdicts, to the next page; then n slots
 *     verdict: seq32 code32 offset32 length32
 *   questions     behind the slots; before minor version 2 there are none
 * </pre>
 */
public final class Ring {
  public static final int D_MAGIC = 0x4452534e;
  public static final int S_MAGIC = 0x5352534e;
  public static final int MAJOR = 1;
  public static final int MINOR = 2;

  public static final int SLOTS_DEFAULT = 1024;
  public static final int SLOT_SIZE = 2048;
  public static final int HEADROOM = 128;
  public static final int TAILROOM = 128;
  public static final int PACKET_MAX = SLOT_SIZE - HEADROOM - TAILROOM;
  public static final int BATCH = 64;

  /** Offsets in the header of region D. */
  public static final int D_SLOTS = 8;

  public static final int D_RECORDS = 16;
  public static final int D_RECORD_FLOWS = 20;
  public static final int D_RECORD_COUNTS = 24;
  public static final int D_RECORD_RELAYS = 28;
  public static final int D_PRODUCED = 64;
  public static final int D_PKTIO_SLEEPS = 128;
  public static final int D_TAKEN = 192;
  public static final int D_FORWARDED = 200;
  public static final int D_DESC = 256;

  /** Bytes of a descriptor, and offsets in it. */
  public static final int DESC_SIZE = 32;

  public static final int DESC_SEQ = 0;
  public static final int DESC_SLOT = 4;
  public static final int DESC_OFFSET = 8;
  public static final int DESC_LENGTH = 12;
  public static final int DESC_MARK = 16;
  public static final int DESC_IFINDEX = 20;
  public static final int DESC_MTU = 24;
  public static final int DESC_FAMILY = 26;
  public static final int DESC_FLAGS = 27;
  public static final int DESC_USEC = 28;

  /** Flag of a descriptor: a sample, its verdict is ignored. */
  public static final int F_COPY = 1;

  /** Number of records of flows. The records of counts follow them. */
  public static final int RECORD_FLOWS = 1024;

  public static final int RECORD_COUNTS = 4096;

  /** Bytes of a record, and offsets in it. */
  public static final int RECORD_SIZE = 96;

  public static final int RECORD_VERSION = 0;
  public static final int RECORD_STATE = 4;
  public static final int RECORD_SEQ = 8;
  public static final int RECORD_FAMILY = 12;
  public static final int RECORD_PROTOCOL = 13;
  public static final int RECORD_TTL = 14;
  public static final int RECORD_SOURCE = 16;
  public static final int RECORD_DESTINATION = 32;
  public static final int RECORD_SOURCE_PORT = 48;
  public static final int RECORD_DESTINATION_PORT = 50;
  public static final int RECORD_PACKETS = 56;
  public static final int RECORD_BYTES = 64;
  public static final int RECORD_LAST_USEC = 72;

  /** States of a record. */
  public static final int FREE = 0;

  public static final int OFFLOADED = 1;
  public static final int ENDED_IDLE = 2;
  public static final int ENDED_TIME = 3;
  public static final int ENDED_REVOKED = 4;
  public static final int COUNTED = 5;

  /** Number of records of relays, behind those of counts, and of the same size. */
  public static final int RELAYS = 4096;

  /** Offsets in the record of a relay, and in each of its two ways. */
  public static final int RELAY_ANSWER = 0;

  public static final int RELAY_TO_PEER = 8;
  public static final int RELAY_TO_CLIENT = 32;
  public static final int WAY_PACKETS = 0;
  public static final int WAY_BYTES = 8;
  public static final int WAY_LAST_USEC = 16;

  /** Places in an answer: the number is its lower 32 bits. */
  public static final int ANSWER_STATE = 32;

  public static final int ANSWER_REFUSED = 40;

  /** States of a relay. */
  public static final int RELAY_FREE = 0;

  public static final int RELAY_ACTIVE = 1;
  public static final int RELAY_REFUSED = 2;
  public static final int RELAY_ENDED = 3;

  /** Names of the reasons in an answer, from 1 on. */
  public static final List<String> REFUSALS =
      List.of(
          "",
          "malformed",
          "quota",
          "server",
          "relayed",
          "peer",
          "martian",
          "node",
          "filter",
          "sampled",
          "taken",
          "failed");

  /** Number of questions that may wait, and bytes and offsets of one. */
  public static final int ASKS = 256;

  public static final int ASK_SIZE = 96;
  public static final int ASK_MAGIC = 0x4c52534e;
  public static final int ASK_NUMBER = 4;
  public static final int ASK_PLACE = 8;
  public static final int ASK_SECONDS = 10;
  public static final int ASK_WHAT = 12;
  public static final int ASK_CLIENT = 13;
  public static final int ASK_PEER = 14;
  public static final int ASK_CLIENT_ADDRESS = 16;
  public static final int ASK_SERVER_ADDRESS = 32;
  public static final int ASK_RELAYED_ADDRESS = 48;
  public static final int ASK_PEER_ADDRESS = 64;
  public static final int ASK_CLIENT_PORT = 80;
  public static final int ASK_SERVER_PORT = 82;
  public static final int ASK_RELAYED_PORT = 84;
  public static final int ASK_PEER_PORT = 86;
  public static final int ASK_CHANNEL = 88;

  /** Kinds of questions. */
  public static final int ASK_BIND = 1;

  public static final int ASK_REFRESH = 2;
  public static final int ASK_UNBIND = 3;

  /** A question about a rule of a service router: number, place and seconds lie as in the other. */
  public static final int SERVAL_MAGIC = 0x5652534e;

  public static final int SERVAL_WHAT = 12;
  public static final int SERVAL_FAMILY = 13;
  public static final int SERVAL_BITS = 14;
  public static final int SERVAL_ROUTER = 16;
  public static final int SERVAL_TARGET = 32;
  public static final int SERVAL_ID = 48;
  public static final int SERVAL_ROUTER_PORT = 80;
  public static final int SERVAL_TARGET_PORT = 82;
  public static final int SERVAL_WEIGHT = 84;
  public static final int SERVAL_RULE = 86;

  /** Rules of a place. Its record has a bit, and a reason of four bits, for each. */
  public static final int PLACE_RULES = 64;

  public static final int RULES_ACTIVE = 8;
  public static final int RULES_REFUSED = 16;

  /** The kind of question that ends a rule. */
  public static final int SERVAL_REMOVE = 4;

  /** Names of the reasons in an answer about a rule, from 1 on. */
  public static final List<String> SERVAL_REFUSALS =
      List.of(
          "",
          "malformed",
          "family",
          "direct",
          "quota",
          "prefix",
          "router",
          "martian",
          "node",
          "target",
          "filter",
          "taken",
          "targets",
          "lengths",
          "failed",
          "routers");

  /** A question about an answer by template: number and place lie as in the others. */
  public static final int TEMPLATE_MAGIC = 0x4e41534e;

  public static final int TEMPLATE_WHAT = 10;
  public static final int TEMPLATE_AT = 12;
  public static final int TEMPLATE_LENGTH = 14;
  public static final int TEMPLATE_BYTES = 16;

  /** Bytes of an entry in one question. */
  public static final int TEMPLATE_PIECE = 80;

  /** Kinds of such questions. */
  public static final int TEMPLATE_PUT = 1;

  public static final int TEMPLATE_ARM = 2;
  public static final int TEMPLATE_WITHDRAW = 3;

  /** Offsets in an entry, and its size without message and reply. */
  public static final int ENTRY_FAMILY = 0;

  public static final int ENTRY_FIELDS = 1;
  public static final int ENTRY_SECONDS = 2;
  public static final int ENTRY_BUDGET = 4;
  public static final int ENTRY_SOURCE = 8;
  public static final int ENTRY_DESTINATION = 24;
  public static final int ENTRY_SOURCE_PORT = 40;
  public static final int ENTRY_DESTINATION_PORT = 42;
  public static final int ENTRY_MESSAGE = 44;
  public static final int ENTRY_REPLY = 46;
  public static final int ENTRY_TAG = 48;
  public static final int ENTRY_FIELD = 52;
  public static final int ENTRY_SIZE = 88;

  /** Offsets in a field of an entry, and its size. */
  public static final int FIELD_FROM = 0;

  public static final int FIELD_TO = 2;
  public static final int FIELD_LENGTH = 4;
  public static final int FIELD_KIND = 5;
  public static final int FIELD_SIZE = 6;

  /** Kinds of fields. */
  public static final int FIELD_SAME = 0;

  public static final int FIELD_TEXT = 1;
  public static final int FIELD_DIGITS = 2;
  public static final int FIELD_HASHED = 4;

  /** Limits of an entry. */
  public static final int TEMPLATE_MESSAGE_MOST = 512;

  public static final int TEMPLATE_GROWTH = 192;
  public static final int TEMPLATE_FIELDS = 6;
  public static final int TEMPLATE_FIELD_MOST = 64;
  public static final int TEMPLATE_TAG = 16;
  public static final int TEMPLATE_NO_TAG = 0xffff;

  /** Names of the reasons in an answer about a template, from 1 on. */
  public static final List<String> TEMPLATE_REFUSALS =
      List.of(
          "",
          "malformed",
          "length",
          "field",
          "filter",
          "sampled",
          "martian",
          "quota",
          "taken",
          "gone",
          "failed");

  /** Offsets in the header of region S. */
  public static final int S_CONSUMED = 64;

  public static final int S_ANSWERED = 128;
  public static final int S_CONTAINER_SLEEPS = 192;
  public static final int S_ASKED = 200;
  public static final int S_VERDICT = 256;

  /** Bytes of a verdict record, and offsets in it. */
  public static final int VERDICT_SIZE = 16;

  public static final int VERDICT_SEQ = 0;
  public static final int VERDICT_CODE = 4;
  public static final int VERDICT_OFFSET = 8;
  public static final int VERDICT_LENGTH = 12;

  /** Verdict codes. */
  public static final int PASS = 0;

  public static final int DROP = 1;
  public static final int CHANGED = 2;
  public static final int STOLEN = 3;

  /** Bits of a code that are one of the verdicts above. */
  public static final int VERDICT_MASK = 15;

  /**
   * Bit of a code: the kernel applies the verdict to the rest of the flow, for the seconds above.
   */
  public static final int OFFLOAD = 16;

  /** The seconds of a code are its bits from here on. */
  public static final int SECONDS_SHIFT = 16;

  private static final int PAGE = 4096;

  private Ring() {}

  /** Offset of record 0 in region D. A region D without records ends there. */
  public static int dRecords(int slots) {
    return pages(D_DESC + slots * DESC_SIZE);
  }

  /** Bytes of region D. */
  public static int dBytes(int slots) {
    return dRecords(slots) + pages((RECORD_FLOWS + RECORD_COUNTS + RELAYS) * RECORD_SIZE);
  }

  /** Offset of the record of relay 0 in region D. */
  public static int dRelays(int slots) {
    return dRecords(slots) + (RECORD_FLOWS + RECORD_COUNTS) * RECORD_SIZE;
  }

  /** Offset of slot 0 in region S. */
  public static int sSlots(int slots) {
    return pages(S_VERDICT + 2 * slots * VERDICT_SIZE);
  }

  /** Offset of question 0 in region S. A region S without questions ends there. */
  public static int sAsks(int slots) {
    return sSlots(slots) + slots * SLOT_SIZE;
  }

  /** Bytes of region S. */
  public static int sBytes(int slots) {
    return sAsks(slots) + ASKS * ASK_SIZE;
  }

  private static int pages(int bytes) {
    return (bytes + PAGE - 1) & -PAGE;
  }
}
