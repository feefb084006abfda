package dev.damask.server;

import dev.damask.api.Authenticator;
import dev.damask.api.Caller;
import dev.damask.api.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// The tokens that a server accepts. It knows tokens by their SHA-256 hash alone: a token has 256
/// random bits, so its hash cannot be reversed.
public final class Tokens implements Authenticator {
  private static final Duration CODE_LIFETIME = Duration.ofMinutes(5);
  private static final Duration SESSION_LIFETIME = Duration.ofHours(12);
  private static final int BYTES = 32;

  /// The names of tokens that the server itself issues.
  static final Set<String> RESERVED = Set.of("owner", "program");

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Clock clock;
  private final Map<String, Caller> byHash = new ConcurrentHashMap<>(); // by any request
  private volatile Map<String, Caller> ofFile = Map.of(); // replaced as a whole
  private final Map<String, Instant> codes = new ConcurrentHashMap<>(); // hash to end
  private final List<Function<String, Optional<Caller>>> others;

  /// Creates a book without tokens.
  public Tokens(Clock clock) {
    this(clock, List.of());
  }

  /// Creates a book that asks others about tokens it does not know, such as a [JwtVerifier].
  public Tokens(Clock clock, List<Function<String, Optional<Caller>>> others) {
    this.clock = clock;
    this.others = List.copyOf(others);
  }

  /// Adds a token that is known by its hash in hexadecimal digits.
  public void add(String hash, Caller caller) {
    byHash.put(hash, caller);
  }

  /// Replaces the tokens that come from a file. Those that are not in it any more have ended.
  void replace(Map<String, Caller> all) {
    ofFile = Map.copyOf(all);
  }

  /// Creates a token and returns it.
  public String issue(Caller caller) {
    String token = random();
    byHash.put(hash(token), caller);
    return token;
  }

  /// Creates a code that can be exchanged once, within five minutes, for an admin's token.
  public String code() {
    String code = random();
    codes.put(hash(code), clock.instant().plus(CODE_LIFETIME));
    return code;
  }

  @Override
  public Optional<Caller> caller(String token) {
    String hash = hash(token);
    Caller known = byHash.getOrDefault(hash, ofFile.get(hash));
    if (known == null) {
      return others.stream()
          .flatMap(each -> each.apply(token).stream())
          .filter(each -> !isTaken(each.name()))
          .findFirst();
    }
    return Optional.of(known).filter(each -> !hasEnded(each));
  }

  /// Whether a name is one of a token here. Approvals, the audit log and idempotency keys know
  /// names alone, so a subject of an identity provider must not have one of them.
  private boolean isTaken(String name) {
    return RESERVED.contains(name)
        || byHash.values().stream().anyMatch(each -> each.name().equals(name))
        || ofFile.values().stream().anyMatch(each -> each.name().equals(name));
  }

  private boolean hasEnded(Caller caller) {
    return caller.expires().isPresent() && !clock.instant().isBefore(caller.expires().get());
  }

  @Override
  public Optional<String> newCode() {
    return Optional.of(code());
  }

  @Override
  public Optional<Session> exchange(String code) {
    Instant end = codes.remove(hash(code)); // once, whatever follows
    if (end == null || !clock.instant().isBefore(end)) {
      return Optional.empty();
    }
    byHash.values().removeIf(this::hasEnded);
    Caller caller =
        new Caller(
            "owner",
            Role.ADMIN,
            Caller.ALL,
            Caller.ALL,
            false,
            Optional.of(clock.instant().plus(SESSION_LIFETIME)));
    return Optional.of(new Session(issue(caller), caller));
  }

  /// Returns the hash of a token in hexadecimal digits.
  public static String hash(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Returns 256 random bits as text.
  static String random() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
