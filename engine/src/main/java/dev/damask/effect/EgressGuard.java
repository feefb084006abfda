package dev.damask.effect;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides where `http` may go. Nobody is called but the hosts on the list, or, where a guard is
/// [open to the public][#publicAnd], everybody with public addresses and the hosts on the list.
///
/// A name on the list stands for the public addresses it resolves to. Addresses that are not
/// public, such as those of this machine, of its network or of the metadata service of a cloud, are
/// called only when the address itself is on the list; `localhost` on the list stands for the
/// loopback addresses. So a name that suddenly resolves to an address inside leads nowhere, and
/// whoever means it lists both.
///
/// The caller connects to an address that was checked here and to no other.
public final class EgressGuard {
  /// The reason of a task whose call was refused.
  public static final String REFUSED = "egress_refused";

  private static final int RULES_MAX = 10_000;
  private static final int ADDRESSES_MAX = 16;

  /// Asks for the addresses of a name.
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String name) throws UnknownHostException;
  }

  /// @param port 0 for every port
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

  /// Allows these hosts, each as `HOST` or `HOST:PORT`.
  public static EgressGuard allowing(Collection<String> hosts) {
    return allowing(hosts, InetAddress::getAllByName);
  }

  static EgressGuard allowing(Collection<String> hosts, Resolver resolver) {
    return new EgressGuard(rules(hosts), resolver, false);
  }

  /// Allows whoever has public addresses of version 4 and no others, and these hosts, each as
  /// `HOST` or `HOST:PORT`. A name that has one address inside among its public ones is not called:
  /// nobody knows what it will lead to next.
  public static EgressGuard publicAnd(Collection<String> hosts) {
    return publicAnd(hosts, InetAddress::getAllByName);
  }

  static EgressGuard publicAnd(Collection<String> hosts, Resolver resolver) {
    return new EgressGuard(rules(hosts), resolver, true);
  }

  private static List<Rule> rules(Collection<String> hosts) {
    if (hosts.size() > RULES_MAX) {
      throw new IllegalArgumentException("a list of hosts has at most " + RULES_MAX + " entries");
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
          "an allowed host is written HOST or HOST:PORT, such as api.example or"
              + " 127.0.0.1:8080, found '"
              + LogEffect.oneLine(text)
              + "'");
    }
    return new Rule(host, port);
  }

  /// The addresses a request may connect to, in the order of the resolver; at least one.
  List<InetAddress> addresses(HttpTarget target) throws EffectFailed {
    return isPublic ? publicAddresses(target) : listedAddresses(target);
  }

  private List<InetAddress> publicAddresses(HttpTarget target) throws EffectFailed {
    InetAddress literal = target.host().address();
    InetAddress[] found = literal == null ? resolve(target) : new InetAddress[] {literal};
    List<InetAddress> allowed = new ArrayList<>();
    for (InetAddress address : found) {
      if (address instanceof Inet4Address && !mayConnect(target.host(), address, target.port())) {
        throw refused(target.host().name() + " leads to a private address that is not allowed");
      }
      if (address instanceof Inet4Address && allowed.size() < ADDRESSES_MAX) {
        allowed.add(address);
      }
    }
    if (allowed.isEmpty()) {
      throw refused(target.host().name() + " has no address of version 4");
    }
    return allowed;
  }

  private List<InetAddress> listedAddresses(HttpTarget target) throws EffectFailed {
    HttpHost host = target.host();
    boolean isListed =
        rules.stream()
            .anyMatch(rule -> rule.covers(target.port()) && rule.host().name().equals(host.name()));
    if (!isListed) {
      throw refused(target.place() + " is not on the list of allowed hosts: allow it to call it");
    }
    if (host.address() != null) {
      return List.of(host.address()); // listed as it is
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
              + " has no public address: an address inside is called only when it is on the list"
              + " itself");
    }
    return allowed;
  }

  private InetAddress[] resolve(HttpTarget target) throws EffectFailed {
    try {
      return resolver.resolve(target.host().name());
    } catch (UnknownHostException e) {
      throw new EffectFailed(
          HttpEffect.UNREACHABLE, "no address was found for " + target.host().name());
    }
  }

  private boolean mayConnect(HttpHost host, InetAddress address, int port) {
    return PublicAddresses.contain(address)
        || (isLocal(host, port) && address.isLoopbackAddress())
        || rules.stream()
            .anyMatch(rule -> rule.covers(port) && isSame(rule.host().address(), address));
  }

  /// `localhost` on the list stands for this machine; where a list is asked at all, it is on it.
  private boolean isLocal(HttpHost host, int port) {
    return host.name().equals("localhost")
        && rules.stream()
            .anyMatch(rule -> rule.covers(port) && rule.host().name().equals("localhost"));
  }

  private static boolean isSame(@Nullable InetAddress listed, InetAddress found) {
    return listed != null && listed.equals(found);
  }

  static EffectFailed refused(String sentence) {
    return new EffectFailed(REFUSED, sentence);
  }
}
