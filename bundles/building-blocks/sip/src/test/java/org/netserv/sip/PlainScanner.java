// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of {@link SipScanner} once more, a line at a time and with regular expressions. Slow,
 * and nothing of the code under test.
 */
final class PlainScanner {
  private static final Pattern REQUEST = Pattern.compile("[!-~&&[^<>\"]]+");
  private static final String TOKEN = "[-A-Za-z0-9.!%*_+`'~]";

  private final String text;
  private final int most;
  private int at;
  private SipError fault = SipError.OK;

  /** Names and values, in order. */
  final List<String> headers = new ArrayList<>();

  String body = "";

  PlainScanner(String text, int most) {
    this.text = text;
    this.most = most;
  }

  SipError scan() {
    if (text.isEmpty()) {
      return SipError.EMPTY;
    }
    String first = line();
    if (fault == SipError.OK) {
      fault = startLine(first);
    }
    while (fault == SipError.OK && !isEmptyLine()) {
      header();
    }
    if (fault == SipError.OK) {
      line();
    }
    if (fault == SipError.OK) {
      content();
    }
    return fault;
  }

  /** A line ends at CRLF or LF. CR before anything else is a fault, and so is no line end. */
  private String line() {
    int start = at;
    while (at < text.length() && text.charAt(at) != '\r' && text.charAt(at) != '\n') {
      at++;
    }
    int stop = at;
    if (text.startsWith("\r\n", at)) {
      at += 2;
    } else if (text.startsWith("\n", at)) {
      at++;
    } else {
      fault = at + 1 < text.length() ? SipError.BARE_CR : SipError.NO_EMPTY_LINE;
    }
    return text.substring(start, stop);
  }

  private boolean isEmptyLine() {
    return at < text.length() && (text.charAt(at) == '\r' || text.charAt(at) == '\n');
  }

  private static SipError startLine(String line) {
    String token = leading(line, TOKEN + "*");
    if (line.startsWith("/", token.length())) {
      return statusLine(line);
    }
    if (token.isEmpty() || !line.startsWith(" ", token.length())) {
      return SipError.METHOD;
    }
    String rest = line.substring(token.length() + 1);
    Matcher uri = REQUEST.matcher(rest);
    String name = uri.lookingAt() ? uri.group() : "";
    if (name.length() < rest.length() && rest.charAt(name.length()) != ' ') {
      return SipError.REQUEST_URI;
    }
    if (name.isEmpty() || name.length() == rest.length()) {
      return SipError.START_LINE;
    }
    String version = rest.substring(name.length() + 1);
    if (version.toLowerCase(Locale.ROOT).equals("sip/2.0")) {
      return SipError.OK;
    }
    return version.length() == 7 && version.charAt(3) == '/'
        ? SipError.VERSION
        : SipError.START_LINE;
  }

  private static SipError statusLine(String line) {
    if (line.length() <= 7 || !line.substring(0, 7).toLowerCase(Locale.ROOT).equals("sip/2.0")) {
      return SipError.VERSION;
    }
    if (line.charAt(7) != ' ') {
      return SipError.START_LINE;
    }
    return line.matches("(?s).{8}[1-6][0-9][0-9] .*") ? SipError.OK : SipError.STATUS_CODE;
  }

  /** field-name *( SP / HTAB ) ":" value *( fold ). A fault before the value comes first. */
  private void header() {
    String rest = text.substring(at);
    String name = leading(rest, TOKEN + "*");
    String before = leading(rest, TOKEN + "*[ \t]*");
    if (before.length() == rest.length()) {
      fault = SipError.NO_EMPTY_LINE;
    } else if (name.isEmpty()) {
      fault = SipError.HEADER_NAME;
    } else if (rest.charAt(before.length()) != ':') {
      fault = SipError.HEADER_COLON;
    } else if (headers.size() == 2 * most) {
      fault = SipError.TOO_MANY_HEADERS;
    } else {
      at += before.length() + 1;
      int start = at;
      int stop = start + line().length();
      while (fault == SipError.OK
          && at < text.length()
          && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
        stop = at;
        stop += line().length();
      }
      headers.add(name);
      headers.add(text.substring(start, stop).replaceAll("^[ \t\r\n]+|[ \t\r\n]+$", ""));
    }
  }

  private void content() {
    body = text.substring(at);
    List<String> lengths = new ArrayList<>();
    for (int i = 0; i < headers.size(); i += 2) {
      if (headers.get(i).toLowerCase(Locale.ROOT).matches("l|content-length")) {
        lengths.add(headers.get(i + 1));
      }
    }
    if (lengths.size() > 1) {
      fault = SipError.CONTENT_LENGTH_REPEATED;
    } else if (lengths.size() == 1 && !lengths.get(0).matches("[0-9]{1,9}")) {
      fault = SipError.CONTENT_LENGTH;
    } else if (lengths.size() == 1 && Integer.parseInt(lengths.get(0)) > body.length()) {
      fault = SipError.CONTENT_LENGTH_BEYOND;
    } else if (lengths.size() == 1) {
      body = body.substring(0, Integer.parseInt(lengths.get(0)));
    }
  }

  private static String leading(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.lookingAt() ? matcher.group() : "";
  }
}
