package dev.damask.effect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/// An answer, read within limits: what is too large is given up, not cut.
///
/// @param headers by name in small letters; several of one name are joined by commas
@SuppressWarnings("ArrayRecordComponent") // answers are read, never compared
record HttpAnswer(int status, Map<String, String> headers, byte[] body) {
  private static final int HEAD_BYTES_MAX = 64 * 1_024;
  private static final int INTERIM_MAX = 8;
  private static final int CHUNK_LINE_MAX = 256;

  /// What the other side sent is no answer that can be used.
  static final class Unusable extends IOException {
    private static final long serialVersionUID = 1L;

    Unusable(String sentence) {
      super(sentence);
    }
  }

  static HttpAnswer read(InputStream in, int bytesMax) throws IOException {
    for (int interim = 0; interim < INTERIM_MAX; interim++) {
      HttpAnswer head = head(in);
      if (head.status >= 200) {
        byte[] packed = isEmpty(head.status) ? new byte[0] : body(in, head.headers, bytesMax);
        return new HttpAnswer(head.status, head.headers, unpacked(packed, head.headers, bytesMax));
      }
    }
    throw new Unusable("there is no end to its interim answers");
  }

  private static boolean isEmpty(int status) {
    return status == 204 || status == 304;
  }

  private static HttpAnswer head(InputStream in) throws IOException {
    int[] left = {HEAD_BYTES_MAX};
    String line = line(in, left, "its head is larger than " + HEAD_BYTES_MAX + " bytes");
    if (!line.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
      throw new Unusable("it does not begin as HTTP/1.1 does");
    }
    int status = Integer.parseInt(line.substring(9, 12));
    Map<String, String> headers = new TreeMap<>();
    while (true) {
      String header = line(in, left, "its head is larger than " + HEAD_BYTES_MAX + " bytes");
      if (header.isEmpty()) {
        return new HttpAnswer(status, headers, new byte[0]);
      }
      int colon = header.indexOf(':');
      if (colon < 1 || header.charAt(0) <= ' ' || header.charAt(colon - 1) <= ' ') {
        throw new Unusable("a header of it is not well formed");
      }
      String name = header.substring(0, colon).toLowerCase(Locale.ROOT);
      headers.merge(name, header.substring(colon + 1).strip(), (one, other) -> one + ", " + other);
    }
  }

  private static String line(InputStream in, int[] left, String tooLong) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int octet = in.read();
      if (octet < 0) {
        throw new EOFException("it ends in the middle");
      }
      if (left[0]-- == 0) {
        throw new Unusable(tooLong);
      }
      if (octet == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      line.write(octet);
    }
  }

  private static byte[] body(InputStream in, Map<String, String> headers, int max)
      throws IOException {
    String coding = headers.getOrDefault("transfer-encoding", "");
    if (coding.equalsIgnoreCase("chunked")) {
      return chunks(in, max);
    }
    if (!coding.isEmpty()) {
      throw new Unusable("its transfer encoding is not known");
    }
    String length = headers.get("content-length");
    if (length == null) {
      return limited(in, max);
    }
    if (!length.matches("[0-9]{1,18}")) {
      throw new Unusable("its length is not a number");
    }
    long bytes = Long.parseLong(length);
    if (bytes > max) {
      throw tooLarge(max);
    }
    byte[] body = in.readNBytes((int) bytes);
    if (body.length < bytes) {
      throw new EOFException("it ends in the middle");
    }
    return body;
  }

  private static byte[] chunks(InputStream in, int max) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      String line = line(in, new int[] {CHUNK_LINE_MAX}, "a chunk of it has no end");
      String size = line.split(";", 2)[0].strip();
      if (!size.matches("[0-9A-Fa-f]{1,8}")) {
        throw new Unusable("a chunk of it is not well formed");
      }
      long bytes = Long.parseLong(size, 16);
      if (bytes == 0) {
        return body.toByteArray(); // what follows, if anything, is of no use
      }
      if (bytes > max - body.size()) {
        throw tooLarge(max);
      }
      byte[] chunk = in.readNBytes((int) bytes);
      if (chunk.length < bytes) {
        throw new EOFException("it ends in the middle");
      }
      body.write(chunk);
      if (!line(in, new int[] {2}, "a chunk of it is longer than it says").isEmpty()) {
        throw new Unusable("a chunk of it is longer than it says");
      }
    }
  }

  private static byte[] unpacked(byte[] packed, Map<String, String> headers, int max)
      throws IOException {
    String coding = headers.getOrDefault("content-encoding", "identity");
    if (coding.equalsIgnoreCase("identity") || packed.length == 0) {
      return packed;
    }
    if (!coding.equalsIgnoreCase("gzip") && !coding.equalsIgnoreCase("x-gzip")) {
      throw new Unusable("its content encoding is not known");
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return limited(in, max);
    } catch (java.util.zip.ZipException | EOFException e) {
      throw new Unusable("it is packed and cannot be unpacked");
    }
  }

  private static byte[] limited(InputStream in, int max) throws IOException {
    byte[] body = in.readNBytes(max);
    if (in.read() >= 0) {
      throw tooLarge(max);
    }
    return body;
  }

  private static Unusable tooLarge(int max) {
    return new Unusable("its body is larger than " + max + " bytes");
  }
}
