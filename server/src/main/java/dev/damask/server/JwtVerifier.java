package dev.damask.server;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Accepts JSON Web Tokens of one identity provider: signed with RS256 or ES256 by one of its keys,
/// for one audience, within their time. The claim `sub` is the caller's name, `damask_role` its
/// role, `damask_workflows` and `damask_types` its patterns. A token without a role is not
/// accepted.
public final class JwtVerifier implements Function<String, Optional<Caller>> {
  private static final int TOKEN_MAX = 16_384;
  private static final long LEEWAY_SECONDS = 30;
  private static final JsonLimits LIMITS =
      new JsonLimits(TOKEN_MAX, 8, TOKEN_MAX, 256, 40, 100, 1_000);

  private final String issuer;
  private final String audience;
  private final JwtKeys keys;
  private final Clock clock;

  /// Creates a verifier.
  ///
  /// @param issuer the claim `iss` that every token must have
  /// @param audience the claim `aud` that every token must have or contain
  public JwtVerifier(String issuer, String audience, JwtKeys keys, Clock clock) {
    this.issuer = issuer;
    this.audience = audience;
    this.keys = keys;
    this.clock = clock;
  }

  /// Returns the holder of a token; empty if it is not accepted.
  @Override
  public Optional<Caller> apply(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3 || token.length() > TOKEN_MAX) {
      return Optional.empty();
    }
    try {
      Json.Fields header = object(parts[0]);
      byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      byte[] signature = Base64.getUrlDecoder().decode(parts[2]);
      if (!isSigned(header, signed, signature)) {
        return Optional.empty();
      }
      return caller(object(parts[1]));
    } catch (IllegalArgumentException
        | DateTimeException
        | JsonProblem
        | GeneralSecurityException e) {
      return Optional.empty(); // who sends it learns no more than that it is not accepted
    }
  }

  private static Json.Fields object(String part) {
    byte[] bytes = Base64.getUrlDecoder().decode(part);
    if (new JsonReader(LIMITS).read(JsonReader.decode(bytes)) instanceof Json.Fields fields) {
      return fields;
    }
    throw new IllegalArgumentException("not an object");
  }

  private boolean isSigned(Json.Fields header, byte[] signed, byte[] signature)
      throws GeneralSecurityException {
    String algorithm = text(header, "alg");
    if (header.get("crit") != null) {
      return false;
    }
    PublicKey key = keys.find(text(header, "kid"), algorithm).orElse(null);
    if (key == null) {
      return false;
    }
    // The algorithm is one of two, and the key fits it: 'none' and keyed hashes are not among them.
    Signature check =
        Signature.getInstance(
            algorithm.equals("RS256") ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
    check.initVerify(key);
    check.update(signed);
    return check.verify(signature);
  }

  private Optional<Caller> caller(Json.Fields claims) {
    long now = clock.instant().getEpochSecond();
    long expires = number(claims, "exp", 0);
    boolean isNow =
        now < expires + LEEWAY_SECONDS && now >= number(claims, "nbf", 0) - LEEWAY_SECONDS;
    boolean isOurs = text(claims, "iss").equals(issuer) && texts(claims, "aud").contains(audience);
    String name = text(claims, "sub");
    if (!isNow || !isOurs || name.isEmpty() || claims.get("damask_role") == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Caller(
            name,
            Role.of(text(claims, "damask_role")),
            patterns(claims, "damask_workflows"),
            patterns(claims, "damask_types"),
            false,
            Optional.of(Instant.ofEpochSecond(expires + LEEWAY_SECONDS))));
  }

  private static List<String> patterns(Json.Fields claims, String name) {
    return claims.get(name) == null ? Caller.ALL : texts(claims, name);
  }

  private static String text(Json.Fields fields, String name) {
    return fields.get(name) instanceof Json.Text(_, var value) ? value : "";
  }

  private static long number(Json.Fields fields, String name, long missing) {
    return fields.get(name) instanceof Json.Numeral number
        ? number.whole().orElse(missing)
        : missing;
  }

  /// A text alone, or the texts of a list.
  private static List<String> texts(Json.Fields fields, String name) {
    return switch (fields.get(name)) {
      case Json.Text(_, var value) -> List.of(value);
      case Json.Items(_, var items) ->
          items.stream()
              .filter(Json.Text.class::isInstance)
              .map(each -> ((Json.Text) each).value())
              .toList();
      case null, default -> List.of();
    };
  }
}
