package dev.damask.server;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Files with tokens: one with the hashes of the tokens that a server accepts, and one with a
/// single token for programs of its owner.
///
/// The first is a JSON object: `{"tokens": [{"name": "ops", "role": "operator", "sha256": "…",
/// "workflows": ["order*"], "types": ["charge"], "secrets": false, "expires":
/// "2027-01-01T00:00:00Z"}]}`. `workflows`, `types`, `secrets` and `expires` may be missing.
public final class TokenFile {
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,100}");
  private static final Set<String> KEYS =
      Set.of("name", "role", "sha256", "workflows", "types", "secrets", "expires");

  private TokenFile() {}

  /// Reads the tokens of a file in the place of those that were read before. Throws
  /// `IllegalArgumentException` with the place of what is wrong, and changes nothing then.
  public static void read(Path file, Tokens tokens) {
    Map<String, Caller> found = new LinkedHashMap<>();
    try {
      Json root =
          new JsonReader(JsonLimits.DEFAULT).read(JsonReader.decode(Files.readAllBytes(file)));
      if (!(root instanceof Json.Fields fields)
          || !(fields.get("tokens") instanceof Json.Items(_, var all))) {
        throw new IllegalArgumentException(file + ": expected an object with the list 'tokens'");
      }
      for (Json each : all) {
        add(file + ":" + each.at(), each, found);
      }
      tokens.replace(found);
    } catch (JsonProblem e) {
      throw new IllegalArgumentException(file + ":" + e.at() + ": " + e.sentence(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static void add(String where, Json each, Map<String, Caller> tokens) {
    if (!(each instanceof Json.Fields token)) {
      throw new IllegalArgumentException(where + ": expected an object, found " + each.kind());
    }
    for (String key : token.entries().keySet()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException(where + ": unknown key '" + key + "'");
      }
    }
    String name = text(where, token, "name");
    String hash = text(where, token, "sha256");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          where + ": name has from 1 to 100 letters, digits, '.', '_', '@' and '-'");
    }
    if (Tokens.RESERVED.contains(name)) {
      throw new IllegalArgumentException(
          where + ": the server itself uses the name '" + name + "'; choose another one");
    }
    if (!HASH.matcher(hash).matches()) {
      throw new IllegalArgumentException(
          where + ": sha256 must be 64 hexadecimal digits in lower case");
    }
    try {
      Role role = role(where, text(where, token, "role"));
      boolean seesSecrets = token.get("secrets") instanceof Json.Flag(_, var value) && value;
      Optional<Instant> expires =
          token.get("expires") == null
              ? Optional.empty()
              : Optional.of(Instant.parse(text(where, token, "expires")));
      tokens.put(
          hash,
          new Caller(
              name,
              role,
              list(where, token, "workflows"),
              list(where, token, "types"),
              seesSecrets,
              expires));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          where + ": expires must be a time such as 2027-01-01T00:00:00Z", e);
    }
  }

  private static Role role(String where, String word) {
    try {
      return Role.of(word);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
  }

  private static String text(String where, Json.Fields token, String key) {
    if (token.get(key) instanceof Json.Text(_, var value)) {
      return value;
    }
    throw new IllegalArgumentException(where + ": " + key + " must be text");
  }

  private static List<String> list(String where, Json.Fields token, String key) {
    Json found = token.get(key);
    if (found == null) {
      return Caller.ALL;
    }
    if (found instanceof Json.Items(_, var items)
        && items.stream().allMatch(Json.Text.class::isInstance)) {
      return items.stream().map(each -> ((Json.Text) each).value()).toList();
    }
    throw new IllegalArgumentException(where + ": " + key + " must be a list of texts");
  }

  /// Writes a secret to a file that only its owner may read, and replaces an existing one. Throws
  /// `IllegalArgumentException` if the file cannot be written.
  public static void writeSecret(Path file, String secret) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      Path temporary =
          Files.createTempFile(
              folder,
              ".damask",
              ".tmp",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(
          temporary, secret.getBytes(StandardCharsets.UTF_8), StandardOpenOption.TRUNCATE_EXISTING);
      Files.move(temporary, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be written: " + e.getMessage(), e);
    }
  }
}
