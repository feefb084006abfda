package dev.damask.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/// An HTTP response, read within limits. A response that exceeds a limit is rejected, not
/// truncated.
///
/// @param headers the fields by name in lower case; values of the same name are joined by commas
@SuppressWarnings("ArrayRecordComponent") // responses are never compared
record HttpResponse(int status, Map<String, String> headers, byte[] body) {
  private static final int HEAD_BYTES_MAX = 64 * 1_024;
  private static final int INTERIM_MAX = 8;
  private static final int CHUNK_LINE_MAX = 256;

  /// Thrown when a response is malformed or exceeds a limit.
  static final class Unusable extends IOException {
    private static final long serialVersionUID = 1L;

    Unusable(String sentence) {
      super(sentence);
    }
  }

  static HttpResponse read(InputStream in, int bytesMax) throws IOException {
    for (int interim = 0; interim < INTERIM_MAX; interim++) {
      HttpResponse head = head(in);
      if (head.status >= 200) {
        byte[] packed = isEmpty(head.status) ? new byte[0] : body(in, head.headers, bytesMax);
        return new HttpResponse(
            head.status, head.headers, unpacked(packed, head.headers, bytesMax));
      }
    }
    throw new Unusable("too many interim responses");
  }

  private static boolean isEmpty(int status) {
    return status == 204 || status == 304;
  }

  private static HttpResponse head(InputStream in) throws IOException {
    int[] left = {HEAD_BYTES_MAX};
    String line = line(in, left, "the header section is larger than " + HEAD_BYTES_MAX + " bytes");
    if (!line.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
      throw new Unusable("the status line is not that of HTTP/1.1");
    }
    int status = Integer.parseInt(line.substring(9, 12));
    Map<String, String> headers = new TreeMap<>();
    while (true) {
      String header =
          line(in, left, "the header section is larger than " + HEAD_BYTES_MAX + " bytes");
      if (header.isEmpty()) {
        return new HttpResponse(status, headers, new byte[0]);
      }
      int colon = header.indexOf(':');
      if (colon < 1 || header.charAt(0) <= ' ' || header.charAt(colon - 1) <= ' ') {
        throw new Unusable("a header field is malformed");
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
        throw new EOFException("the response is truncated");
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
    if (!coding.isEmpty() && headers.containsKey("content-length")) {
      throw new Unusable("it has both Transfer-Encoding and Content-Length");
    }
    if (coding.equalsIgnoreCase("chunked")) {
      return chunks(in, max);
    }
    if (!coding.isEmpty()) {
      throw new Unusable("unknown Transfer-Encoding");
    }
    String length = headers.get("content-length");
    if (length == null) {
      return limited(in, max);
    }
    if (!length.matches("[0-9]{1,18}")) {
      throw new Unusable("Content-Length is not a number");
    }
    long bytes = Long.parseLong(length);
    if (bytes > max) {
      throw tooLarge(max);
    }
    byte[] body = in.readNBytes((int) bytes);
    if (body.length < bytes) {
      throw new EOFException("the response is truncated");
    }
    return body;
  }

  private static byte[] chunks(InputStream in, int max) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      requireTime();
      String line = line(in, new int[] {CHUNK_LINE_MAX}, "a chunk header is too long");
      String size = line.split(";", 2)[0].strip();
      if (!size.matches("[0-9A-Fa-f]{1,8}")) {
        throw new Unusable("a chunk header is malformed");
      }
      long bytes = Long.parseLong(size, 16);
      if (bytes == 0) {
        return body.toByteArray(); // trailers are ignored
      }
      if (bytes > max - body.size()) {
        throw tooLarge(max);
      }
      byte[] chunk = in.readNBytes((int) bytes);
      if (chunk.length < bytes) {
        throw new EOFException("the response is truncated");
      }
      body.write(chunk);
      if (!line(in, new int[] {2}, "a chunk is longer than its declared size").isEmpty()) {
        throw new Unusable("a chunk is longer than its declared size");
      }
    }
  }

  /// Throws if the thread is interrupted. With a fast sender no read ever blocks, so the reader
  /// would not notice the interrupt of the timeout.
  private static void requireTime() throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted");
    }
  }

  private static byte[] unpacked(byte[] packed, Map<String, String> headers, int max)
      throws IOException {
    String coding = headers.getOrDefault("content-encoding", "identity");
    if (coding.equalsIgnoreCase("identity") || packed.length == 0) {
      return packed;
    }
    if (!coding.equalsIgnoreCase("gzip") && !coding.equalsIgnoreCase("x-gzip")) {
      throw new Unusable("unknown Content-Encoding");
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return limited(in, max);
    } catch (java.util.zip.ZipException | EOFException e) {
      throw new Unusable("the body cannot be decompressed");
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
    return new Unusable("the body is larger than " + max + " bytes");
  }
}
