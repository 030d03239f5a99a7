// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.values.BadValueException;

/** The words of an expression, one after the other. */
final class Tokens {
  /** Matches operators, and runs of the characters of names, numbers, addresses and ranges. */
  private static final Pattern WORD =
      Pattern.compile(" *(&&|\\|\\||>=|<=|==|!=|[!><=&|()\\[\\]]|[A-Za-z0-9.:/-]+) *");

  /** Matches an index. A colon separates offset and size in an index, but not in addresses. */
  private static final Pattern INDEX = Pattern.compile("[0-9]{1,4}(:[124])?");

  private final List<String> words = new ArrayList<>();
  private int at;

  Tokens(String text) throws BadValueException {
    Matcher matcher = WORD.matcher(text);
    int end = 0;
    while (matcher.find() && matcher.start() == end) {
      words.add(matcher.group(1));
      end = matcher.end();
    }
    if (end < text.length()) {
      throw new BadValueException(
          "not a word of a packet filter: " + BadValueException.quote(text.substring(end)));
    }
    if (words.isEmpty()) {
      throw new BadValueException("an empty packet filter");
    }
  }

  boolean atEnd() {
    return at == words.size();
  }

  /** The next word, or "" at the end. */
  String peek() {
    return atEnd() ? "" : words.get(at);
  }

  String next() {
    String word = peek();
    at++;
    return word;
  }

  /** Takes the next word if it is one of these. */
  boolean take(String... choice) {
    for (String word : choice) {
      if (peek().equals(word)) {
        at++;
        return true;
      }
    }
    return false;
  }

  /** Takes the next two words if they are these. */
  boolean takeAll(String first, String second) {
    if (at + 1 < words.size() && peek().equals(first) && words.get(at + 1).equals(second)) {
      at += 2;
      return true;
    }
    return false;
  }

  void expect(String word) throws BadValueException {
    if (!take(word)) {
      throw unexpected(word + " expected");
    }
  }

  /** Returns the text between brackets: an offset, or an offset, a colon and a size. */
  String index() throws BadValueException {
    if (!INDEX.matcher(peek()).matches()) {
      throw unexpected("an offset, or offset:1, :2 or :4, expected");
    }
    return next();
  }

  BadValueException unexpected(String why) {
    String here = atEnd() ? "at the end" : "at " + BadValueException.quote(peek());
    return new BadValueException(why + " " + here + ", word " + (at + 1));
  }

  /** Returns one text for all texts that differ in spaces only. */
  String canonical() {
    return String.join(" ", words);
  }
}
