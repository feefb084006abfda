package dev.damask.http;

import java.net.Inet4Address;
import java.net.InetAddress;

/// The addresses of the public internet. All other addresses, such as this machine's and a cloud's
/// internal services, are private and must be allowed explicitly.
final class PublicAddresses {
  private PublicAddresses() {}

  static boolean contain(InetAddress address) {
    byte[] bytes = address.getAddress();
    return address instanceof Inet4Address ? isPublic4(bytes, 0) : isPublic6(bytes);
  }

  /// Checks the four bytes of an IPv4 address at an offset; the address may be embedded in an IPv6
  /// address.
  private static boolean isPublic4(byte[] bytes, int at) {
    int a = bytes[at] & 0xFF;
    int b = bytes[at + 1] & 0xFF;
    int c = bytes[at + 2] & 0xFF;
    return switch (a) {
      case 0, 10, 127 -> false; // this network, private, loopback
      case 100 -> b < 64 || b > 127; // carrier-grade NAT
      case 169 -> b != 254; // link-local, cloud metadata
      case 172 -> b < 16 || b > 31; // private
      case 192 ->
          !(b == 168 // private
              || (b == 0 && (c == 0 || c == 2)) // protocols, documentation
              || (b == 88 && c == 99)); // relays to IPv6
      case 198 -> !(b == 18 || b == 19 || (b == 51 && c == 100)); // measurements, documentation
      case 203 -> !(b == 0 && c == 113); // documentation
      default -> a < 224; // multicast, reserved, broadcast
    };
  }

  private static boolean isPublic6(byte[] bytes) {
    int first = group(bytes, 0);
    int second = group(bytes, 1);
    if (first == 0x2002) { // embeds an IPv4 address
      return isPublic4(bytes, 2);
    }
    if (first == 0x2001) { // tunnels, identifiers, documentation
      return second >= 0x0200 && second != 0x0DB8;
    }
    if (first == 0x3FFF && second < 0x1000) { // documentation
      return false;
    }
    // Loopback, mapped, translated, unique local, link-local and multicast addresses are outside
    // this range.
    return (first & 0xE000) == 0x2000;
  }

  private static int group(byte[] bytes, int index) {
    return (bytes[2 * index] & 0xFF) << 8 | (bytes[2 * index + 1] & 0xFF);
  }
}
