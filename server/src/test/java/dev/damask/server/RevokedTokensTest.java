package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.server.ServedEngine.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tokens that end, names that are taken, and new links.
@Timeout(60)
final class RevokedTokensTest {
  @TempDir private Path folder;

  private static String entry(String name, String token) {
    return "{\"name\": \"%s\", \"role\": \"viewer\", \"sha256\": \"%s\"}"
        .formatted(name, Tokens.hash(token));
  }

  private Path write(String... entries) throws IOException {
    return Files.writeString(
        folder.resolve("tokens.json"), "{\"tokens\": [" + String.join(", ", entries) + "]}");
  }

  @Test
  void a_token_that_is_removed_from_its_file_ends_and_a_new_one_is_accepted() throws IOException {
    Tokens tokens = new Tokens(Clock.systemUTC());
    List<String> messages = new ArrayList<>();
    WatchedTokens watched = new WatchedTokens(write(entry("one", "1")), tokens);
    assertThat(tokens.caller("1")).isPresent();

    write(entry("two", "2"), entry("three", "3"));
    watched.refresh(messages::add);
    watched.refresh(messages::add);

    assertThat(tokens.caller("1")).isEmpty();
    assertThat(tokens.caller("2")).isPresent();
    assertThat(messages).hasSize(1);

    Files.writeString(folder.resolve("tokens.json"), "{");
    watched.refresh(messages::add);
    assertThat(tokens.caller("2")).isPresent();
    assertThat(messages.getLast()).contains("stay as they were");
  }

  @Test
  void names_of_the_server_and_of_tokens_are_refused_for_subjects() throws IOException {
    Tokens tokens =
        new Tokens(Clock.systemUTC(), List.of(name -> Optional.of(Caller.of(name, Role.OPERATOR))));
    TokenFile.read(write(entry("ops", "1")), tokens);

    assertThat(tokens.caller("mary")).isPresent();
    assertThat(tokens.caller("ops")).isEmpty();
    assertThat(tokens.caller("owner")).isEmpty();
    assertThat(tokens.caller("program")).isEmpty();
    assertThatThrownBy(() -> TokenFile.read(write(entry("owner", "1")), tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("owner");
  }

  @Test
  void a_code_ends_after_five_minutes() {
    Instant[] now = {Instant.parse("2026-11-15T10:00:00Z")};
    Tokens tokens = new Tokens(clock(now));
    String early = tokens.code();
    String late = tokens.code();

    now[0] = now[0].plus(Duration.ofMinutes(5).minusMillis(1));
    assertThat(tokens.exchange(early)).isPresent();
    now[0] = now[0].plusMillis(1);
    assertThat(tokens.exchange(late)).isEmpty();
  }

  private static Clock clock(Instant[] now) {
    return new Clock() {
      @Override
      public ZoneOffset getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(java.time.ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return now[0];
      }
    };
  }

  @Test
  void a_key_that_the_provider_has_withdrawn_ends() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    KeyPair pair = generator.generateKeyPair();
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    RSAPublicKey key = (RSAPublicKey) pair.getPublic();
    String set =
        "{\"keys\": [{\"kty\": \"RSA\", \"kid\": \"a\", \"n\": \"%s\", \"e\": \"%s\"}]}"
            .formatted(
                base64.encodeToString(key.getModulus().toByteArray()),
                base64.encodeToString(key.getPublicExponent().toByteArray()));
    Path file = Files.writeString(folder.resolve("keys.json"), set);
    Instant[] now = {Instant.parse("2026-11-15T10:00:00Z")};
    try (JwtKeys keys = JwtKeys.of(file.toString(), clock(now))) {
      Files.writeString(file, "{\"keys\": []}");
      assertThat(keys.find("a", "RS256")).isPresent();

      now[0] = now[0].plus(Duration.ofMinutes(11));
      assertThat(keys.find("a", "RS256")).isPresent(); // the request does not wait
      while (keys.isReading()) {
        Thread.onSpinWait();
      }

      assertThat(keys.find("a", "RS256")).isEmpty();
    }
  }

  @Test
  void an_admin_of_the_whole_store_gets_a_new_link() {
    try (ServedEngine served = ServedEngine.inMemory()) {
      Answer link = served.post(served.admin, "/v1/link", "{}");
      String code = String.valueOf(link.at("link")).replace("/#code=", "");

      Answer session = served.post("", "/v1/session", "{\"code\":\"" + code + "\"}");

      assertThat(session.at("role")).as(session.text()).isEqualTo("admin");
      assertThat(served.post(served.limited, "/v1/link", "{}").status()).isEqualTo(404);
      assertThat(served.post(served.operator, "/v1/link", "{}").status()).isEqualTo(403);
      assertThat(served.post(served.admin, "/v1/link", "{}", "Idempotency-Key", "k").status())
          .isEqualTo(400);
    }
  }
}
