package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Audit;
import dev.damask.api.Caller;
import dev.damask.api.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokensTest {
  private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

  @TempDir private Path folder;

  @Test
  void a_file_knows_tokens_by_their_hash() throws IOException {
    Path file = folder.resolve("tokens.json");
    Files.writeString(
        file,
        """
        {"tokens": [{"name": "ops", "role": "operator", "sha256": "%s",
          "workflows": ["order*"], "expires": "2027-01-01T00:00:00Z"},
          {"name": "old", "role": "viewer", "sha256": "%s", "expires": "2020-01-01T00:00:00Z"}]}
        """
            .formatted(Tokens.hash("secret"), Tokens.hash("gone")));
    Tokens tokens = new Tokens(CLOCK);
    TokenFile.read(file, tokens);

    Caller caller = tokens.caller("secret").orElseThrow();

    assertThat(caller.role()).isEqualTo(Role.OPERATOR);
    assertThat(caller.sees("orders")).isTrue();
    assertThat(caller.sees("other")).isFalse();
    assertThat(tokens.caller("gone")).isEmpty();
    assertThat(tokens.caller(Tokens.hash("secret"))).isEmpty();
  }

  private static String token(String name, String role, String hash) {
    return "{\"tokens\": [{\"name\": \"%s\", \"role\": \"%s\", \"sha256\": \"%s\"}]}"
        .formatted(name, role, hash);
  }

  @Test
  void a_wrong_file_is_refused_with_the_place() throws IOException {
    Path file = folder.resolve("tokens.json");
    for (String each :
        List.of(
            token("a", "king", "0".repeat(64)),
            token("a", "admin", "plain"),
            token("a\\nb", "admin", "0".repeat(64)),
            "[]")) {
      Files.writeString(file, each);
      assertThatThrownBy(() -> TokenFile.read(file, new Tokens(CLOCK)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tokens.json");
    }
  }

  @Test
  void a_secret_file_is_for_its_owner_alone() throws IOException {
    Path file = folder.resolve("token");

    TokenFile.writeSecret(file, "secret");

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(file).hasContent("secret");
  }

  @Test
  void an_audit_entry_is_one_line_whatever_it_contains() throws IOException {
    Path file = folder.resolve("audit.log");
    try (AuditFile audit = AuditFile.open(file)) {
      audit.write(new Audit.Entry(NOW, "a\n{\"who\":\"b\"}", "GET /x", "case\r\n1\u2028", "200"));
    }

    assertThat(Files.readString(file).lines()).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String encoded(String text) {
    return encoded(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] unsigned(java.math.BigInteger number) {
    byte[] bytes = number.toByteArray();
    return bytes[0] == 0 ? java.util.Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
  }

  private static String signed(String header, String claims, String algorithm, KeyPair pair)
      throws GeneralSecurityException {
    String head = encoded(header) + "." + encoded(claims);
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(pair.getPrivate());
    signature.update(head.getBytes(StandardCharsets.US_ASCII));
    return head + "." + encoded(signature.sign());
  }

  private static String claims(String more) {
    return "{\"iss\":\"https://id\",\"aud\":[\"damask\"],\"sub\":\"mia\","
        + "\"damask_role\":\"operator\",\"exp\":"
        + (NOW.getEpochSecond() + 600)
        + more
        + "}";
  }

  @Test
  void tokens_of_an_identity_provider_are_accepted_with_a_fitting_key_alone() throws Exception {
    KeyPairGenerator rsaMaker = KeyPairGenerator.getInstance("RSA");
    rsaMaker.initialize(2_048);
    KeyPair rsa = rsaMaker.generateKeyPair();
    KeyPairGenerator curveMaker = KeyPairGenerator.getInstance("EC");
    curveMaker.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair curve = curveMaker.generateKeyPair();
    RSAPublicKey rsaKey = (RSAPublicKey) rsa.getPublic();
    ECPublicKey curveKey = (ECPublicKey) curve.getPublic();
    Path file = folder.resolve("keys.json");
    Files.writeString(
        file,
        "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"r\",\"n\":\""
            + encoded(unsigned(rsaKey.getModulus()))
            + "\",\"e\":\"AQAB\"},{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e\",\"x\":\""
            + encoded(unsigned(curveKey.getW().getAffineX()))
            + "\",\"y\":\""
            + encoded(unsigned(curveKey.getW().getAffineY()))
            + "\"}]}");
    JwtVerifier verifier =
        new JwtVerifier("https://id", "damask", JwtKeys.of(file.toString(), CLOCK), CLOCK);
    String rs = "{\"alg\":\"RS256\",\"kid\":\"r\"}";
    String es = "{\"alg\":\"ES256\",\"kid\":\"e\"}";
    String curves = "SHA256withECDSAinP1363Format";

    String good = signed(rs, claims(""), "SHA256withRSA", rsa);
    Optional<Caller> caller = verifier.apply(good);
    Optional<Caller> byCurve =
        verifier.apply(signed(es, claims(",\"damask_workflows\":[\"order*\"]"), curves, curve));

    assertThat(caller.orElseThrow().name()).isEqualTo("mia");
    assertThat(caller.orElseThrow().role()).isEqualTo(Role.OPERATOR);
    assertThat(byCurve.orElseThrow().sees("hidden")).isFalse();
    List<String> bad =
        List.of(
            good + "x",
            good.substring(0, good.length() - 8) + "AAAAAAAA",
            encoded("{\"alg\":\"none\"}") + "." + encoded(claims("")) + ".",
            encoded("{\"alg\":\"HS256\",\"kid\":\"r\"}") + "." + encoded(claims("")) + ".AAAA",
            signed("{\"alg\":\"RS256\",\"kid\":\"e\"}", claims(""), "SHA256withRSA", rsa),
            signed("{\"alg\":\"RS256\",\"kid\":\"?\"}", claims(""), "SHA256withRSA", rsa),
            signed(rs, claims("").replace("https://id", "https://ix"), "SHA256withRSA", rsa),
            signed(rs, claims("").replace("[\"damask\"]", "\"other\""), "SHA256withRSA", rsa),
            signed(rs, claims("").replace("damask_role", "role"), "SHA256withRSA", rsa),
            signed(rs, claims("").replace("operator", "king"), "SHA256withRSA", rsa),
            signed(rs, claims(",\"nbf\":" + (NOW.getEpochSecond() + 999)), "SHA256withRSA", rsa),
            signed(
                rs,
                claims("")
                    .replace(
                        String.valueOf(NOW.getEpochSecond() + 600),
                        String.valueOf(NOW.getEpochSecond() - 60)),
                "SHA256withRSA",
                rsa),
            "a.b.c",
            "");
    for (String each : bad) {
      assertThat(verifier.apply(each)).as(each).isEmpty();
    }
  }
}
