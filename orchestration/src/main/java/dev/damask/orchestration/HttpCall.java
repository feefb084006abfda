package dev.damask.orchestration;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// A small HTTP/1.1 client that connects only to addresses it has checked itself.
///
/// A name is resolved once; what is checked is what is connected to, so no second answer of a name
/// server can lead elsewhere. Every redirect is checked like the first request. There is no proxy,
/// no compression, no reuse of connections, and a limit for everything.
final class HttpCall {
  static final int BYTES_MAX = 1_048_576;
  private static final int HEAD_MAX = 65_536;
  private static final int REDIRECTS_MAX = 3;

  private final Egress egress;
  private final Resolver resolver;
  private long deadlineNanos;

  /// Finds the addresses of a name.
  @FunctionalInterface
  interface Resolver {
    InetAddress[] addresses(String host) throws IOException;
  }

  HttpCall(Egress egress, Resolver resolver) {
    this.egress = egress;
    this.resolver = resolver;
  }

  record Request(
      String method, String url, Map<String, String> headers, String body, long timeoutMillis) {}

  record Response(int status, String body) {}

  /// The call was not made or brought nothing that can be used.
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  Response send(Request request) throws IOException {
    deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis());
    URI target = parse(request.url());
    String method = request.method();
    String body = request.body();
    Map<String, String> headers = request.headers();
    for (int hop = 0; ; hop++) {
      Raw raw = exchange(target, method, headers, body);
      String location = raw.headers().get("location");
      boolean redirected = raw.status() / 100 == 3 && raw.status() != 304 && location != null;
      if (!redirected) {
        return new Response(raw.status(), raw.body());
      }
      if (hop == REDIRECTS_MAX) {
        throw new Refused("more than " + REDIRECTS_MAX + " redirects");
      }
      URI next = parse(target.resolve(location).toString());
      if (!same(target, next)) {
        headers = Map.of(); // what was meant for one host is not shown to another
      }
      target = next;
      if (raw.status() == 303) {
        method = "GET";
        body = "";
      }
    }
  }

  private static boolean same(URI one, URI other) {
    return one.getScheme().equals(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  private static URI parse(String url) throws Refused {
    try {
      URI uri = new URI(url);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!known || uri.getHost() == null || uri.getUserInfo() != null) {
        throw new Refused("no address of the web: it needs http or https and a plain host");
      }
      return uri;
    } catch (URISyntaxException e) {
      throw new Refused("no address of the web: " + e.getReason());
    }
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0 ? uri.getPort() : uri.getScheme().equals("https") ? 443 : 80;
  }

  private record Raw(int status, Map<String, String> headers, String body) {}

  private Raw exchange(URI target, String method, Map<String, String> headers, String body)
      throws IOException {
    try (Socket socket = connect(target)) {
      String host = target.getHost() + (target.getPort() >= 0 ? ":" + target.getPort() : "");
      String path =
          target.getRawPath() == null || target.getRawPath().isEmpty() ? "/" : target.getRawPath();
      String query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
      byte[] content = body.getBytes(StandardCharsets.UTF_8);
      StringBuilder head = new StringBuilder();
      head.append(method).append(' ').append(path).append(query).append(" HTTP/1.1\r\n");
      line(head, "Host", host);
      line(head, "Connection", "close");
      if (headers.keySet().stream().noneMatch("accept"::equalsIgnoreCase)) {
        line(head, "Accept", "application/json");
      }
      if (!method.equals("GET")) {
        if (headers.keySet().stream().noneMatch("content-type"::equalsIgnoreCase)) {
          line(head, "Content-Type", "application/json");
        }
        line(head, "Content-Length", Integer.toString(content.length));
      }
      for (Map.Entry<String, String> entry : headers.entrySet()) {
        line(head, entry.getKey(), entry.getValue());
      }
      socket.setSoTimeout(left());
      socket.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.UTF_8));
      if (!method.equals("GET")) {
        socket.getOutputStream().write(content);
      }
      socket.getOutputStream().flush();
      return read(socket, new BufferedInputStream(socket.getInputStream()));
    }
  }

  private static void line(StringBuilder head, String name, String value) throws Refused {
    if (value.chars().anyMatch(c -> c < ' ' || c == 127)) {
      throw new Refused("the header " + name + " has a control character");
    }
    head.append(name).append(": ").append(value).append("\r\n");
  }

  private int left() throws Refused {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    if (millis <= 0) {
      throw new Refused("the time of the call is up");
    }
    return (int) Math.min(millis, Integer.MAX_VALUE);
  }

  private Socket connect(URI target) throws IOException {
    int port = port(target);
    InetAddress chosen = null;
    for (InetAddress address : resolver.addresses(target.getHost())) {
      if (!(address instanceof Inet4Address)) {
        continue;
      }
      if (!egress.allows(target.getHost(), port, address)) {
        // One private address among several is reason enough: the name is not to be trusted.
        throw new Refused("the host " + target.getHost() + " leads to a private address");
      }
      chosen = chosen == null ? address : chosen;
    }
    if (chosen == null) {
      throw new Refused("the host " + target.getHost() + " has no address of version 4");
    }
    Socket socket = new Socket(Proxy.NO_PROXY);
    try {
      socket.connect(new InetSocketAddress(chosen, port), left());
      return target.getScheme().equals("https") ? secured(socket, target.getHost(), port) : socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private Socket secured(Socket plain, String host, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    if (!host.matches("[0-9.]+")) {
      parameters.setServerNames(java.util.List.of(new SNIHostName(host)));
    }
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(left());
    socket.startHandshake();
    return socket;
  }

  private Raw read(Socket socket, InputStream in) throws IOException {
    int[] budget = {HEAD_MAX};
    String first = textLine(socket, in, budget);
    String[] words = first.split(" ", 3);
    if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("[1-5][0-9]{2}")) {
      throw new Refused("the answer is not HTTP");
    }
    Map<String, String> headers = new TreeMap<>();
    for (String each = textLine(socket, in, budget);
        !each.isEmpty();
        each = textLine(socket, in, budget)) {
      int colon = each.indexOf(':');
      if (colon > 0) {
        headers.put(
            each.substring(0, colon).toLowerCase(Locale.ROOT), each.substring(colon + 1).strip());
      }
    }
    if (!headers.getOrDefault("content-encoding", "identity").equals("identity")) {
      throw new Refused("the answer is compressed");
    }
    byte[] body = body(socket, in, headers);
    return new Raw(Integer.parseInt(words[1]), headers, new String(body, StandardCharsets.UTF_8));
  }

  private byte[] body(Socket socket, InputStream in, Map<String, String> headers)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      int[] budget = {HEAD_MAX};
      while (true) {
        String size = textLine(socket, in, budget).split(";", 2)[0].strip();
        if (!size.matches("[0-9a-fA-F]{1,7}")) {
          throw new Refused("a part of the answer has no size");
        }
        int count = Integer.parseInt(size, 16);
        if (count == 0) {
          return out.toByteArray();
        }
        copy(socket, in, out, count);
        textLine(socket, in, budget);
      }
    }
    String length = headers.get("content-length");
    if (length != null && !length.matches("[0-9]{1,9}")) {
      throw new Refused("the length of the answer is no number");
    }
    copy(socket, in, out, length == null ? -1 : Integer.parseInt(length));
    return out.toByteArray();
  }

  /// Copies a number of bytes, or all there are when it is negative.
  private void copy(Socket socket, InputStream in, ByteArrayOutputStream out, int count)
      throws IOException {
    byte[] buffer = new byte[8_192];
    int rest = count;
    while (rest != 0) {
      socket.setSoTimeout(left());
      int read = in.read(buffer, 0, rest < 0 ? buffer.length : Math.min(rest, buffer.length));
      if (read < 0) {
        if (rest > 0) {
          throw new Refused("the answer ends in the middle");
        }
        return;
      }
      rest -= rest < 0 ? 0 : read;
      if (out.size() + read > BYTES_MAX) {
        throw new Refused("the answer has more than " + BYTES_MAX + " bytes");
      }
      out.write(buffer, 0, read);
    }
  }

  private String textLine(Socket socket, InputStream in, int[] budget) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      socket.setSoTimeout(left());
      int next = in.read();
      if (next < 0) {
        throw new Refused("the answer ends in its head");
      }
      if (--budget[0] < 0) {
        throw new Refused("the head of the answer has more than " + HEAD_MAX + " bytes");
      }
      if (next == '\n') {
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
      }
      line.write(next);
    }
  }
}
