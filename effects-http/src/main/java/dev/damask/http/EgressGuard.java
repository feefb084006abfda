package dev.damask.http;

import dev.damask.effect.EffectException;
import dev.damask.effect.LogEffect;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which addresses the `http` effect may connect to. By default only the listed hosts are
/// allowed. A guard that is [open to the public][#publicAnd] also allows every host with public
/// addresses.
///
/// A listed name allows the public addresses that it resolves to. Private addresses, such as those
/// of this machine, of its network or of a cloud's metadata service, are allowed only if the
/// address itself is listed. A listed `localhost` allows the loopback addresses. So a name that
/// begins to resolve to a private address is refused; to call such a host, list the name and the
/// address.
///
/// The caller must connect to an address that this guard returned.
public final class EgressGuard {
  /// The failure reason of a task whose call was refused.
  public static final String REFUSED = "egress_refused";

  private static final int RULES_MAX = 10_000;
  private static final int ADDRESSES_MAX = 16;

  /// Resolves a name to addresses.
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String name) throws UnknownHostException;
  }

  /// @param port the allowed port; 0 for every port
  private record Rule(HttpHost host, int port) {
    boolean covers(int wanted) {
      return port == 0 || port == wanted;
    }
  }

  private final List<Rule> rules;
  private final Resolver resolver;
  private final boolean isPublic;

  private EgressGuard(List<Rule> rules, Resolver resolver, boolean isPublic) {
    this.rules = List.copyOf(rules);
    this.resolver = resolver;
    this.isPublic = isPublic;
  }

  /// Creates a guard that allows these hosts, each written as `HOST` or `HOST:PORT`.
  public static EgressGuard allowing(Collection<String> hosts) {
    return allowing(hosts, InetAddress::getAllByName);
  }

  static EgressGuard allowing(Collection<String> hosts, Resolver resolver) {
    return new EgressGuard(rules(hosts), resolver, false);
  }

  /// Creates a guard that allows every host whose IPv4 addresses are all public, and these hosts,
  /// each written as `HOST` or `HOST:PORT`. A name with public and private addresses is refused,
  /// because its next lookup may lead to the private one.
  public static EgressGuard publicAnd(Collection<String> hosts) {
    return publicAnd(hosts, InetAddress::getAllByName);
  }

  static EgressGuard publicAnd(Collection<String> hosts, Resolver resolver) {
    return new EgressGuard(rules(hosts), resolver, true);
  }

  private static List<Rule> rules(Collection<String> hosts) {
    if (hosts.size() > RULES_MAX) {
      throw new IllegalArgumentException(
          "allowed hosts: expected at most " + RULES_MAX + ", got " + hosts.size());
    }
    List<Rule> rules = new ArrayList<>();
    for (String host : hosts) {
      rules.add(rule(host));
    }
    return rules;
  }

  private static Rule rule(String text) {
    int colon = text.lastIndexOf(':');
    boolean isLiteral6 = text.indexOf(':') != colon && !text.startsWith("[");
    boolean hasPort = colon > text.lastIndexOf(']') && !isLiteral6;
    HttpHost host = HttpHost.parseAnyScript(hasPort ? text.substring(0, colon) : text).orElse(null);
    String digits = hasPort ? text.substring(colon + 1) : "0";
    int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : -1;
    if (host == null || port < 0 || port > 65_535 || (hasPort && port == 0)) {
      throw new IllegalArgumentException(
          "an allowed host must be HOST or HOST:PORT, such as api.example or"
              + " 127.0.0.1:8080, found '"
              + LogEffect.oneLine(text)
              + "'");
    }
    return new Rule(host, port);
  }

  /// Returns the addresses that a request may connect to, in the resolver's order. The list has at
  /// least one.
  List<InetAddress> addresses(HttpTarget target) throws EffectException {
    return isPublic ? publicAddresses(target) : listedAddresses(target);
  }

  private List<InetAddress> publicAddresses(HttpTarget target) throws EffectException {
    InetAddress literal = target.host().address();
    InetAddress[] found = literal == null ? resolve(target) : new InetAddress[] {literal};
    List<InetAddress> allowed = new ArrayList<>();
    for (InetAddress address : found) {
      if (address instanceof Inet4Address && !mayConnect(target.host(), address, target.port())) {
        throw refused(
            target.host().name()
                + " resolves to a private address that is not allowed; allow the address itself");
      }
      if (address instanceof Inet4Address && allowed.size() < ADDRESSES_MAX) {
        allowed.add(address);
      }
    }
    if (allowed.isEmpty()) {
      throw refused(target.host().name() + " has no IPv4 address");
    }
    return allowed;
  }

  private List<InetAddress> listedAddresses(HttpTarget target) throws EffectException {
    HttpHost host = target.host();
    boolean isListed =
        rules.stream()
            .anyMatch(rule -> rule.covers(target.port()) && rule.host().name().equals(host.name()));
    if (!isListed) {
      throw refused(target.place() + " is not an allowed host; add it to the allowed hosts");
    }
    if (host.address() != null) {
      return List.of(host.address()); // the address itself is listed
    }
    List<InetAddress> allowed = new ArrayList<>();
    for (InetAddress address : resolve(target)) {
      if (allowed.size() < ADDRESSES_MAX && mayConnect(host, address, target.port())) {
        allowed.add(address);
      }
    }
    if (allowed.isEmpty()) {
      throw refused(
          host.name()
              + " has no public address; to call a private address, allow the address"
              + " itself");
    }
    return allowed;
  }

  private InetAddress[] resolve(HttpTarget target) throws EffectException {
    try {
      return resolver.resolve(target.host().name());
    } catch (UnknownHostException e) {
      throw new EffectException(
          HttpEffect.UNREACHABLE, target.host().name() + ": no address found");
    }
  }

  private boolean mayConnect(HttpHost host, InetAddress address, int port) {
    return PublicAddresses.contain(address)
        || (isLocal(host, port) && address.isLoopbackAddress())
        || rules.stream()
            .anyMatch(rule -> rule.covers(port) && isSame(rule.host().address(), address));
  }

  /// Returns whether the host is `localhost` and is listed. With a list of hosts, an unlisted name
  /// is refused before.
  private boolean isLocal(HttpHost host, int port) {
    return host.name().equals("localhost")
        && rules.stream()
            .anyMatch(rule -> rule.covers(port) && rule.host().name().equals("localhost"));
  }

  private static boolean isSame(@Nullable InetAddress listed, InetAddress found) {
    return listed != null && listed.equals(found);
  }

  static EffectException refused(String sentence) {
    return new EffectException(REFUSED, sentence);
  }
}
