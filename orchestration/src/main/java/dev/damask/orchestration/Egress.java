package dev.damask.orchestration;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Set;
import java.util.TreeSet;

/// Where API calls may go: to public addresses, and to private ones only where that was allowed by
/// host and port.
///
/// @param allowed hosts with ports, such as `127.0.0.1:8080`, that may be private
public record Egress(Set<String> allowed) {
  public Egress {
    allowed = java.util.Collections.unmodifiableSet(new TreeSet<>(allowed));
  }

  public static Egress publicOnly() {
    return new Egress(Set.of());
  }

  public static Egress allowing(String... hostsWithPorts) {
    return new Egress(Set.of(hostsWithPorts));
  }

  boolean allows(String host, int port, InetAddress address) {
    return isPublic(address) || allowed.contains(host + ":" + port);
  }

  /// Whether an address belongs to the open network: none of the ranges that lead back to this
  /// machine, its neighbours, or nowhere.
  static boolean isPublic(InetAddress address) {
    if (!(address instanceof Inet4Address)) {
      return false;
    }
    byte[] bytes = address.getAddress();
    int a = bytes[0] & 0xFF;
    int b = bytes[1] & 0xFF;
    int c = bytes[2] & 0xFF;
    return !(a == 0
        || a == 10
        || a == 127
        || (a == 100 && b >= 64 && b < 128)
        || (a == 169 && b == 254)
        || (a == 172 && b >= 16 && b < 32)
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || a >= 224);
  }
}
