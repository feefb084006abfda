package dev.damask.session;

import dev.damask.source.Limit;
import dev.damask.step.SecretSource;
import dev.damask.value.Context;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The secrets of running sessions. They live in memory only. A session remembers the names of
/// those it was started with, and after a restart its processes wait until they are there again.
final class SecretStore implements SecretSource {
  /// In the context of a session: the names of its secrets.
  static final String NEEDED = "__needs";

  private static final String PREFIX = "__secret";
  private static final long PAUSE_SECONDS = 10;

  private final Map<String, Map<String, String>> secrets = new ConcurrentHashMap<>();
  private final Function<SessionKey, Map<String, String>> source;
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean isClosed; // guarded by the lock

  /// @param source knows the secrets of sessions that were started before a restart
  SecretStore(Function<SessionKey, Map<String, String>> source) {
    this.source = source;
  }

  static boolean isSecret(String key) {
    return key.startsWith(PREFIX);
  }

  /// Refuses a secret that is too long or could break a header.
  static String require(String key, @Nullable Object value) {
    if (!(value instanceof String text)) {
      throw new IllegalArgumentException(key + " must be a string");
    }
    if (!Limit.SECRET_CHARS.allows(text.length())) {
      throw new IllegalArgumentException(Limit.SECRET_CHARS.breach(text.length()));
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(key + " has a control character");
    }
    return text;
  }

  /// Adds secrets to a session. Processes that wait for them resume.
  void put(String session, Map<String, String> values) {
    if (values.isEmpty()) {
      return;
    }
    secrets.merge(
        session,
        new TreeMap<>(values),
        (old, more) -> {
          Map<String, String> all = new TreeMap<>(old);
          all.putAll(more);
          return all;
        });
    wakeAll(false);
  }

  private void wakeAll(boolean closes) {
    lock.lock();
    try {
      isClosed |= closes;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The secrets of the session a process belongs to. Most sessions have none, and then not even
  /// the name of the session is made.
  @Override
  public Map<String, String> of(Context given) {
    return secrets.isEmpty() ? Map.of() : of(SessionKey.of(given).caseId());
  }

  Map<String, String> of(String session) {
    return secrets.getOrDefault(session, Map.of());
  }

  /// The names of the secrets that a process needs and that were not provided since the last
  /// restart.
  @Override
  public List<String> missing(Context given) {
    if (!(given.get(NEEDED) instanceof List<?> names)) {
      return List.of();
    }
    Map<String, String> known = of(given);
    return names.stream().map(String::valueOf).filter(name -> !known.containsKey(name)).toList();
  }

  /// Whether a session can have these secrets; what is missing is taken from the source.
  boolean finds(SessionKey key, Collection<String> names) {
    put(key.caseId(), ask(key, names));
    return of(key.caseId()).keySet().containsAll(names);
  }

  private Map<String, String> ask(SessionKey key, Collection<String> names) {
    try {
      Map<String, String> known = source.apply(key);
      Map<String, String> found = new TreeMap<>();
      for (String name : names) {
        String value = known.get(name);
        if (value != null) {
          found.put(name, require(name, value));
        }
      }
      return found;
    } catch (RuntimeException e) { // the user's source; it is asked again later
      System.getLogger(SecretStore.class.getName())
          .log(System.Logger.Level.WARNING, "the secrets of session " + key + " cannot be read", e);
      return Map.of();
    }
  }

  /// Waits until a process has all its secrets; asks the source at once, and then now and then.
  void await(Context given) throws InterruptedException {
    while (!missing(given).isEmpty() && !finds(SessionKey.of(given), missing(given))) {
      pause(given);
    }
  }

  private void pause(Context given) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = TimeUnit.SECONDS.toNanos(PAUSE_SECONDS);
      while (left > 0 && !missing(given).isEmpty()) {
        if (isClosed) {
          throw new InterruptedException(); // the next engine asks again
        }
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  void forget(String session) {
    secrets.remove(session);
  }

  /// Nobody waits any longer.
  void close() {
    wakeAll(true);
  }

  @Override
  public String toString() {
    return "secrets of " + secrets.size() + " sessions";
  }
}
