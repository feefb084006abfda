package dev.damask.session;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a session is started with.
///
/// @param owner whose session it is
/// @param caller who starts it: the owner of the graph or one of its executors
/// @param graph the id of the graph in the registry
/// @param step the first step
/// @param payload what the first step receives; `__secret…` keys are kept in memory only, and
///   `__wakeUp` lists who may wake the session
/// @param graphHash what the graph is pinned to; null for whatever the registry has
/// @param number the number the session must get; 0 for the next one
/// @param costMax the most all evaluations together may cost; 0 for no limit
public record SessionStart(
    String owner,
    String caller,
    String graph,
    String step,
    Map<String, ? extends @Nullable Object> payload,
    @Nullable String graphHash,
    long number,
    long costMax) {
  public SessionStart {
    payload = Collections.unmodifiableMap(new TreeMap<String, @Nullable Object>(payload));
    if (owner.isBlank() || number < 0 || costMax < 0) {
      throw new IllegalArgumentException(
          "a session needs an owner, and its numbers must not be negative");
    }
  }

  /// Whether a key of a payload names a secret, which is usable in rules and never kept.
  public static boolean isSecret(String key) {
    return SecretStore.isSecret(key);
  }

  /// A session of one's own graph, without limits.
  public static SessionStart of(
      String owner, String graph, String step, Map<String, ? extends @Nullable Object> payload) {
    return new SessionStart(owner, owner, graph, step, payload, null, 0, 0);
  }

  /// Returns a start that fails unless the graph has this hash.
  public SessionStart withHash(String hash) {
    return new SessionStart(owner, caller, graph, step, payload, hash, number, costMax);
  }

  /// Returns a start whose evaluations may cost at most this much.
  public SessionStart withCostMax(long most) {
    return new SessionStart(owner, caller, graph, step, payload, graphHash, number, most);
  }

  /// Returns a start that fails unless the session gets this number.
  public SessionStart withNumber(long wanted) {
    return new SessionStart(owner, caller, graph, step, payload, graphHash, wanted, costMax);
  }

  /// Returns a start by another caller.
  public SessionStart by(String who) {
    return new SessionStart(owner, who, graph, step, payload, graphHash, number, costMax);
  }
}
