package dev.damask.orchestration;

import dev.damask.task.Context;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The secrets of running sessions. They live in memory only: after a restart whoever started a
/// session gives them again, and until then a rule that reads one finds it missing.
final class Vault {
  static final String PREFIX = "__secret";

  private final Map<String, Map<String, String>> secrets = new ConcurrentHashMap<>();

  static boolean isSecret(String key) {
    return key.startsWith(PREFIX);
  }

  /// Refuses a secret that is too long or could break a header.
  static String require(String key, @Nullable Object value) {
    if (!(value instanceof String text)) {
      throw new IllegalArgumentException(key + " is a text");
    }
    if (!Cap.SECRET_CHARS.allows(text.length())) {
      throw new IllegalArgumentException(Cap.SECRET_CHARS.breach(text.length()));
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(key + " has a control character");
    }
    return text;
  }

  void put(String session, Map<String, String> values) {
    if (!values.isEmpty()) {
      secrets.merge(
          session,
          new TreeMap<>(values),
          (old, more) -> {
            Map<String, String> all = new TreeMap<>(old);
            all.putAll(more);
            return all;
          });
    }
  }

  /// The secrets of the session a process belongs to. Most sessions have none, and then not even
  /// the name of the session is made.
  Map<String, String> of(Context given) {
    return secrets.isEmpty() ? Map.of() : of(StepScope.key(given));
  }

  private Map<String, String> of(String session) {
    return secrets.getOrDefault(session, Map.of());
  }

  void forget(String session) {
    secrets.remove(session);
  }

  @Override
  public String toString() {
    return "secrets of " + secrets.size() + " sessions";
  }
}
