// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Packet;
import org.netserv.sip.SipHeader;
import org.netserv.sip.SipScanner;

/**
 * A parsed keep-alive of one agent, and the reply to it. The agent's next keep-alive mostly differs
 * in four fields only. Then the keep-alive fits the template, and nothing in it is parsed.
 *
 * <pre>
 *   message  Via: ...;branch=z9hG4bK-17   From: ...;tag=a7   Call-ID: 17@10.0.0.7   CSeq: 17 NOTIFY
 *   free                     ------- --                 --            -- -- - - -         --
 *   digits                                                                                --
 * </pre>
 *
 * Invariant: a message that fits gets the verdict that the parser would give it. It has the same
 * length and the same bytes, except for free bytes. A free byte is a letter, a digit or one of
 * "-._" in both messages. Free bytes end no field and change no field's meaning. A CSeq number of
 * at most nine digits is in range whatever its digits are. The verdict also depends on the packet's
 * addresses and ports, and these are the template's key.
 */
final class AgentTemplate {
  /** A longer message is parsed each time. */
  static final int MESSAGE_MOST = 512;

  private static final int REPLY_MOST = 768;
  private static final int WORDS_MOST = MESSAGE_MOST / Long.BYTES;
  private static final int CSEQ_DIGITS = 9;

  /**
   * Longest run of messages that do not fit. An agent beyond it seems never to send the same
   * message twice.
   */
  private static final int TRIES = 5;

  private static final int TRY_AGAIN = 0x3f; // then each 64th message is learned

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  // the key
  private long sourceHigh;
  private long sourceLow;
  private long destinationHigh;
  private long destinationLow;
  private int ports = -1;

  // the message: words of eight bytes, the last one ends where the message ends
  private final long[] words = new long[WORDS_MOST];
  private final long[] free = new long[WORDS_MOST];
  private final long[] digits = new long[WORDS_MOST];
  private int length; // 0 = nothing learned
  private Why what;
  private int tries;

  // fields, from the message's begin
  private final Field branch = new Field();
  private final Field tag = new Field();
  private final Field callId = new Field();
  private final Field cseq = new Field();

  private final byte[] reply = new byte[REPLY_MOST];
  private int replyLength; // 0 = nothing learned
  private int replyTag;
  private AnswerTemplate kernels; // the same for the kernel; null = not made yet
  private boolean unfit; // for the kernel

  /** A range of the message, and its place in the reply. */
  private static final class Field {
    int from;
    int length;
    int to;

    void set(int start, int end, int message) {
      from = start - message;
      length = end - start;
    }
  }

  boolean isOf(Packet packet) {
    return sourceLow == packet.sourceLow()
        && ports == ports(packet)
        && destinationLow == packet.destinationLow()
        && sourceHigh == packet.sourceHigh()
        && destinationHigh == packet.destinationHigh();
  }

  /** Forgets the agent that had this template, and takes the agent of this packet. */
  void take(Packet packet) {
    sourceHigh = packet.sourceHigh();
    sourceLow = packet.sourceLow();
    destinationHigh = packet.destinationHigh();
    destinationLow = packet.destinationLow();
    ports = ports(packet);
    length = 0;
    tries = 0;
    kernels = null;
    unfit = false;
  }

  private static int ports(Packet packet) {
    return packet.sourcePort() << 16 | packet.destinationPort();
  }

  // ---- the message

  /** Tells whether the message equals the learned message, except for free bytes. */
  boolean fits(ByteBuffer buffer, int start, int size) {
    if (size != length || size == 0) {
      return false;
    }
    int whole = size / Long.BYTES;
    for (int i = unlike(buffer, start, 0, whole); i < whole; ) {
      if (!isFree(buffer.getLong(start + Long.BYTES * i), i)) {
        return false;
      }
      i = unlike(buffer, start, i + 1, whole);
    }
    int last = (size - 1) / Long.BYTES;
    long word = buffer.getLong(start + size - Long.BYTES);
    if (word != words[last] && !isFree(word, last)) {
      return false;
    }
    tries = 0;
    return true;
  }

  /**
   * Returns the first place from {@code from} on with another word than the learned one, or {@code
   * end}. The loop is as short as it can be, because it runs over the whole message.
   */
  private int unlike(ByteBuffer buffer, int start, int from, int end) {
    int i = from;
    while (i < end && buffer.getLong(start + Long.BYTES * i) == words[i]) {
      i++;
    }
    return i;
  }

  private boolean isFree(long word, int i) {
    return ((word ^ words[i]) & ~free[i]) == 0
        && (Simple.not(word) & free[i]) == 0
        && (digits[i] == 0 || (Simple.notDigit(word) & digits[i]) == 0);
  }

  /**
   * Learns the message that was just parsed, or returns false. Learning does not pay for an agent's
   * first message, nor for an agent that has not sent two equal messages lately.
   */
  boolean learn(SipKeepAlive sip, int start, int size, Why verdict) {
    tries++;
    boolean worth = tries > 1 && (tries <= TRIES || (tries & TRY_AGAIN) == 0);
    if (!worth || size > MESSAGE_MOST) {
      return false;
    }
    ByteBuffer buffer = sip.buffer();
    SipScanner message = sip.message();
    int id = message.first(SipHeader.CALL_ID);
    int number = message.first(SipHeader.CSEQ);
    branch.set(sip.top().branchStart(), sip.top().branchEnd(), start);
    tag.set(sip.from().tagStart(), sip.from().tagEnd(), start);
    callId.set(message.valueStart(id), message.valueEnd(id), start);
    cseq.set(message.valueStart(number), sip.numberEnd(), start);
    length = size;
    what = verdict;
    replyLength = 0;
    kernels = null;
    unfit = false;
    for (int i = 0; 8 * i < size; i++) {
      words[i] = buffer.getLong(start + Math.min(8 * i, size - 8));
      free[i] = 0;
      digits[i] = 0;
    }
    free(branch);
    free(tag);
    free(callId);
    if (cseq.length <= CSEQ_DIGITS) {
      free(cseq);
      for (int at = cseq.from; at < cseq.from + cseq.length; at++) {
        mark(digits, at);
      }
    }
    return true;
  }

  /** Marks the bytes of the field that may change. */
  private void free(Field field) {
    for (int at = field.from; at < field.from + field.length; at++) {
      int i = at / 8;
      int inWord = at - Math.min(8 * i, length - 8);
      if ((Simple.not(words[i]) >>> (56 - 8 * inWord) & 0x80) == 0) {
        mark(free, at);
      }
    }
  }

  /** Marks a byte in its word and, near the end, in the last word too. */
  private void mark(long[] masks, int at) {
    int last = (length - 1) / 8;
    int i = at / 8;
    if (i < last) {
      masks[i] |= 0xffL << (56 - 8 * (at - 8 * i));
    }
    int inLast = at - (length - 8);
    if (inLast >= 0) {
      masks[last] |= 0xffL << (56 - 8 * inLast);
    }
  }

  /** Returns NOTIFY or OPTIONS. */
  Why what() {
    return what;
  }

  /** As {@link SipKeepAlive#transaction}, of a message that fits. */
  long transaction(ByteBuffer buffer, int start) {
    long number = 0;
    for (int i = start + cseq.from; i < start + cseq.from + cseq.length; i++) {
      number = 10 * number + buffer.get(i) - '0';
    }
    return add(add(number, callId, buffer, start), branch, buffer, start) | 1;
  }

  private static long add(long hash, Field field, ByteBuffer buffer, int start) {
    int from = start + field.from;
    return Hash.add(hash, buffer, from, from + field.length);
  }

  // ---- the reply

  boolean hasReply() {
    return replyLength > 0;
  }

  /** Learns the reply to the learned message, which began at {@code start}. */
  void learnReply(ReplyWriter out, int toTag, int start) {
    boolean found = out.fits() && out.length() <= REPLY_MOST;
    found &= place(branch, out, start) && place(tag, out, start);
    found &= place(callId, out, start) && place(cseq, out, start);
    if (found) {
      System.arraycopy(out.bytes(), 0, reply, 0, out.length());
      replyLength = out.length();
      replyTag = toTag;
    }
  }

  private static boolean place(Field field, ReplyWriter out, int start) {
    field.to = field.length == 0 ? 0 : out.placeOf(start + field.from, field.length);
    return field.to >= 0;
  }

  // ---- for the kernel

  /**
   * Returns the message and its reply for the kernel, or null if the kernel does not take such. The
   * kernel compares messages as this class does, and its tag is this one.
   *
   * @param packet of the agent, not changed yet
   */
  AnswerTemplate forKernel(Packet packet) {
    if (kernels == null && !unfit) {
      kernels = makeForKernel(AnswerTemplate.Pair.of(packet));
      unfit = kernels == null;
    }
    return kernels;
  }

  private AnswerTemplate makeForKernel(AnswerTemplate.Pair pair) {
    List<AnswerTemplate.Field> fields = new ArrayList<>();
    AnswerTemplate.Kind number =
        cseq.length <= CSEQ_DIGITS ? AnswerTemplate.Kind.DIGITS : AnswerTemplate.Kind.SAME;
    add(fields, callId, AnswerTemplate.Kind.TEXT, true); // in the order of the tag's hash
    add(fields, tag, AnswerTemplate.Kind.TEXT, true);
    add(fields, branch, AnswerTemplate.Kind.TEXT, false);
    add(fields, cseq, number, false);
    byte[] back = Arrays.copyOf(reply, replyLength);
    try {
      return new AnswerTemplate(pair, message(), back, fields, replyTag);
    } catch (IllegalArgumentException e) {
      return null; // the reply or a field is too long
    }
  }

  private static void add(
      List<AnswerTemplate.Field> fields, Field field, AnswerTemplate.Kind kind, boolean hashed) {
    if (field.length > 0) {
      fields.add(new AnswerTemplate.Field(field.from, field.to, field.length, kind, hashed));
    }
  }

  /** Returns the learned message. Its last word overlaps the one before. */
  private byte[] message() {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    for (int i = 0; 8 * i < length; i++) {
      bytes.putLong(Math.min(8 * i, length - 8), words[i]);
    }
    return bytes.array();
  }

  /**
   * Puts the reply to a message that fits into its packet. Returns false if the packet has no room.
   */
  boolean answer(ByteBuffer buffer, int start, Packet packet) {
    copy(branch, buffer, start);
    copy(tag, buffer, start);
    copy(callId, buffer, start);
    copy(cseq, buffer, start);
    long hash = add(add(Hash.START, callId, buffer, start), tag, buffer, start);
    for (int i = 15; i >= 0; i--) {
      reply[replyTag + i] = HEX[(int) hash & 0xf];
      hash >>>= 4;
    }
    return packet.setPayload(reply, 0, replyLength);
  }

  private void copy(Field field, ByteBuffer buffer, int start) {
    buffer.get(start + field.from, reply, field.to, field.length);
  }
}
