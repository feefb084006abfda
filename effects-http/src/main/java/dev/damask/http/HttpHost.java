package dev.damask.http;

import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A host in its normalized form for comparison: lower case, without a trailing dot, and IP
/// addresses only in their usual notation. Other notations that some resolvers accept, such as
/// `0x7f.1` or `2130706433`, are rejected.
///
/// @param address the IP address of a literal; null for a name
record HttpHost(String name, @Nullable InetAddress address) {
  private static final int NAME_MAX = 253;
  private static final int LABEL_MAX = 63;

  /// Parses a host. Empty if the text is not a valid host.
  static Optional<HttpHost> parse(String text) {
    if (text.startsWith("[") && text.endsWith("]")) {
      return literal6(text.substring(1, text.length() - 1));
    }
    if (text.indexOf(':') >= 0) {
      return literal6(text);
    }
    String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    name = name.toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.length() > NAME_MAX) {
      return Optional.empty();
    }
    String[] labels = name.split("\\.", -1);
    for (String label : labels) {
      if (!isLabel(label)) {
        return Optional.empty();
      }
    }
    if (isNumber(labels[labels.length - 1])) {
      return literal4(name, labels);
    }
    return Optional.of(new HttpHost(name, null));
  }

  /// Parses a host like [#parse]. Internationalized names are converted to their ASCII form.
  static Optional<HttpHost> parseAnyScript(String text) {
    try {
      return parse(text.chars().allMatch(c -> c < 128) ? text : IDN.toASCII(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isLabel(String label) {
    return !label.isEmpty()
        && label.length() <= LABEL_MAX
        && !label.startsWith("-")
        && !label.endsWith("-")
        && label
            .chars()
            .allMatch(
                c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_');
  }

  private static boolean isNumber(String label) {
    return label.chars().allMatch(c -> c >= '0' && c <= '9') || label.matches("0x[0-9a-f]*");
  }

  private static Optional<HttpHost> literal4(String name, String[] labels) {
    byte[] bytes = new byte[4];
    if (labels.length != bytes.length) {
      return Optional.empty();
    }
    for (int i = 0; i < bytes.length; i++) {
      String label = labels[i];
      boolean isPlain = label.matches("0|[1-9][0-9]{0,2}");
      if (!isPlain || Integer.parseInt(label) > 255) {
        return Optional.empty();
      }
      bytes[i] = (byte) Integer.parseInt(label);
    }
    try {
      return Optional.of(new HttpHost(name, InetAddress.getByAddress(bytes)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("cannot create an IPv4 address from four bytes", e);
    }
  }

  private static Optional<HttpHost> literal6(String text) {
    // A zone such as %eth0 names a network interface of this machine.
    if (!text.matches("[0-9A-Fa-f:.]{2,45}")) {
      return Optional.empty();
    }
    try {
      InetAddress address = InetAddress.ofLiteral(text);
      // IPv4-mapped IPv6 literals are rejected; use the IPv4 form.
      return address instanceof Inet6Address
          ? Optional.of(new HttpHost("[" + address.getHostAddress() + "]", address))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
