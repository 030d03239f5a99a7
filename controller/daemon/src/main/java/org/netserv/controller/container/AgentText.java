// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.netserv.frames.FrameException;
import org.netserv.frames.FrameException.Reason;

/**
 * The JSON of one frame of a container. It is read twice. First it is read as a whole, within
 * limits, to learn its kind. Then a {@link Shape} keeps the fields that the controller uses. A tree
 * of the whole is never made.
 */
final class AgentText {
  /** Bytes of a frame. They bound a hello, an event, and each reply but the two large ones. */
  static final int FRAME = 64 << 10;

  /** Bytes of a frame while a {@code trace} or {@code threads} of this connection is unanswered. */
  static final int LARGE_FRAME = 256 << 10;

  /** Values, names and brackets in a frame: one for each eight bytes of the longest. */
  static final int TOKENS = FRAME / 8;

  static final int LARGE_TOKENS = LARGE_FRAME / 8;

  static final int DEPTH = 16;
  private static final int NUMBER = 32;
  private static final int NAME = 128;

  private static final JsonFactory SMALL = factory(TOKENS, FRAME);
  private static final JsonFactory LARGE = factory(LARGE_TOKENS, LARGE_FRAME);

  /** A message's place in the protocol. */
  enum Kind {
    HELLO,
    EVENT,
    REPLY,
    /** An object that has neither {@code hello}, {@code event} nor {@code id}. */
    OTHER
  }

  private final String text;
  private final JsonFactory factory;
  private Kind kind = Kind.OTHER;
  private long id = -1;

  private AgentText(String text, JsonFactory factory) {
    this.text = text;
    this.factory = factory;
  }

  private static JsonFactory factory(int tokens, int bytes) {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(DEPTH)
                .maxNumberLength(NUMBER)
                .maxNameLength(NAME)
                .maxStringLength(bytes)
                .maxTokenCount(tokens)
                .build())
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        // A container chooses its names; the process must not keep them beyond the message.
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .build();
  }

  /**
   * Checks a whole frame.
   *
   * @throws FrameException NOT_JSON, NOT_OBJECT, or LIMIT if it is nested too deep, has too many
   *     tokens, or a number or name that is too long
   */
  static AgentText of(byte[] frame) throws FrameException {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(frame)).toString();
      AgentText message = new AgentText(text, frame.length < FRAME ? SMALL : LARGE);
      message.scan();
      return message;
    } catch (FrameException e) {
      throw e;
    } catch (CharacterCodingException e) {
      throw new FrameException(Reason.NOT_JSON, "not UTF-8", e);
    } catch (StreamConstraintsException e) {
      throw new FrameException(Reason.LIMIT, e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw new FrameException(Reason.NOT_JSON, e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Reading from a string does no I/O.
    }
  }

  private void scan() throws IOException {
    try (JsonParser parser = factory.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        // Reads to the end, so that a syntax error is reported as such.
        parser.skipChildren();
        throw new FrameException(Reason.NOT_OBJECT, "a frame holds no object");
      }
      boolean event = false;
      boolean hello = false;
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        event |= name.equals("event") && value == JsonToken.VALUE_STRING;
        hello |= name.equals("hello") && value == JsonToken.START_OBJECT;
        if (name.equals("id") && value == JsonToken.VALUE_NUMBER_INT) {
          id =
              parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                  ? -1
                  : parser.getLongValue();
        }
        parser.skipChildren();
      }
      if (parser.nextToken() != null) {
        throw new FrameException(Reason.NOT_JSON, "something follows the object");
      }
      kind = event ? Kind.EVENT : hello ? Kind.HELLO : id >= 0 ? Kind.REPLY : Kind.OTHER;
    }
  }

  Kind kind() {
    return kind;
  }

  /** Returns the id of the request that a reply answers. */
  long id() {
    return id;
  }

  /** Returns the part that the shape keeps. */
  ObjectNode read(Shape shape) {
    try (JsonParser parser = factory.createParser(text)) {
      parser.nextToken();
      return (ObjectNode) shape.read(parser);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // The whole of it has been read once.
    }
  }
}
