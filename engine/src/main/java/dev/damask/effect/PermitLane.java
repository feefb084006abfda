package dev.damask.effect;

import dev.damask.effect.EffectLimit.Rate;
import dev.damask.effect.Permits.Owner;
import dev.damask.effect.Permits.Waiter;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// One limited type.
final class PermitLane {
  /// What the store has of this node since its last answer.
  ///
  /// @param held how many permits no other node may use
  /// @param needed what this node needed then
  private record Standing(int held, int needed) {
    static final Standing NONE = new Standing(0, 0);
  }

  final String type;
  final EffectLimit limit;
  final boolean isShared;

  // What this node may use of limits that it shares; unused otherwise.
  private int quota;
  private final Map<String, Integer> keyQuotas = new HashMap<>();
  private final Map<String, Long> asked = new HashMap<>(); // the last question, without an answer
  private final Map<String, Standing> standings = new HashMap<>(); // both: see PermitNeed#key
  private long questions;
  int tokens;
  long tokensUntil; // by System.nanoTime

  final Map<Owner, String> holders = new HashMap<>(); // with their keys
  final Map<String, Integer> running = new HashMap<>();
  final Map<String, TreeSet<Waiter>> lines = new HashMap<>();

  /// The first of each line whose key has room.
  final TreeSet<Waiter> ready = new TreeSet<>(Waiter.ORDER);

  final Map<Owner, Waiter> waiters = new HashMap<>();
  final ArrayDeque<Long> begun = new ArrayDeque<>(); // when the last calls began
  final long openedMillis;

  PermitLane(String type, EffectLimit limit, long openedMillis, boolean isShared) {
    this.isShared = isShared;
    this.type = type;
    this.limit = limit;
    this.openedMillis = openedMillis;
  }

  boolean hasRoom() {
    return limit.atOnce().isEmpty()
        || holders.size() < (isShared ? quota : limit.atOnce().getAsInt());
  }

  boolean hasRoom(String key) {
    return limit.perKey().isEmpty()
        || running.getOrDefault(key, 0)
            < (isShared ? keyQuotas.getOrDefault(key, 0) : limit.perKey().getAsInt());
  }

  /// When the rate allows the next call.
  long nextAt() {
    Rate rate = limit.rate().orElse(null);
    if (rate == null) {
      return Long.MIN_VALUE;
    }
    if (isShared) {
      return tokens > 0 && System.nanoTime() - tokensUntil < 0 ? Long.MIN_VALUE : Permits.NEVER;
    }
    long period = rate.period().toMillis();
    long first = openedMillis == Long.MIN_VALUE ? Long.MIN_VALUE : openedMillis + period;
    return begun.size() < rate.calls() ? first : Math.max(first, begun.peekFirst() + period);
  }

  void hold(Owner owner, String key, long now) {
    holders.put(owner, key);
    running.merge(key, 1, Integer::sum);
    tokens--;
    Rate rate = limit.rate().orElse(null);
    if (rate != null) {
      begun.addLast(now);
      if (begun.size() > rate.calls()) {
        begun.removeFirst();
      }
    }
  }

  void add(Waiter waiter) {
    hide(waiter.key());
    lines.computeIfAbsent(waiter.key(), _ -> new TreeSet<>(Waiter.ORDER)).add(waiter);
    waiters.put(waiter.owner(), waiter);
    show(waiter.key());
  }

  void remove(Waiter waiter) {
    hide(waiter.key());
    TreeSet<Waiter> line = lines.get(waiter.key());
    if (line != null) {
      line.remove(waiter);
      if (line.isEmpty()) {
        lines.remove(waiter.key());
      }
    }
    waiters.remove(waiter.owner());
    show(waiter.key());
  }

  void release(String key) {
    hide(key);
    running.merge(key, -1, (one, other) -> one + other == 0 ? null : one + other);
    show(key);
  }

  void hide(String key) {
    TreeSet<Waiter> line = lines.get(key);
    if (line != null) {
      ready.remove(line.getFirst());
    }
  }

  void show(String key) {
    TreeSet<Waiter> line = lines.get(key);
    if (line != null && hasRoom(key)) {
      ready.add(line.getFirst());
    }
  }

  /// Adds what this node must ask about. Begins no call that these needs do not have in progress,
  /// until they are answered.
  void addNeeds(List<PermitNeed> needs) {
    limit
        .atOnce()
        .ifPresent(most -> {
          if (isOpen("", holders.size(), waiters.size())) {
            needs.add(ask(most));
          }
        });
    limit
        .perKey()
        .ifPresent(most -> {
          for (String key : keys()) {
            TreeSet<Waiter> line = lines.get(key);
            if (isOpen("=" + key, running.getOrDefault(key, 0), line == null ? 0 : line.size())) {
              needs.add(ask(most, key));
            }
          }
        });
  }

  /// The keys that this node uses, waits for or holds.
  private Set<String> keys() {
    Set<String> keys = new TreeSet<>(running.keySet());
    keys.addAll(lines.keySet());
    for (Set<String> names : List.of(asked.keySet(), standings.keySet())) {
      names.stream()
          .filter(each -> !each.isEmpty())
          .map(each -> each.substring(1))
          .forEach(keys::add);
    }
    return keys;
  }

  /// Whether the store must learn something, or may allow more. What counts is what this node holds
  /// there, not what it may use: a permit that it must not use any more is returned all the same. A
  /// node with a call that waits asks even if it has a permit for it: the call may wait for another
  /// limit as well, whose permit is at a node that waits for this one.
  private boolean isOpen(String name, int inUse, int waiting) {
    Standing standing = standings.getOrDefault(name, Standing.NONE);
    return asked.containsKey(name)
        || waiting > 0
        || standing.held != inUse
        || standing.needed != inUse;
  }

  /// Whether a permit has become free that this node must not use.
  boolean hasSpare(String key) {
    return hasSpare("", holders.size()) || hasSpare("=" + key, running.getOrDefault(key, 0));
  }

  private boolean hasSpare(String name, int inUse) {
    return standings.getOrDefault(name, Standing.NONE).held > Math.max(inUse, quota(name));
  }

  private int quota(String name) {
    return name.isEmpty() ? quota : keyQuotas.getOrDefault(name.substring(1), 0);
  }

  /// What this node needs of the limit of all calls.
  PermitNeed ask(int limitOfAll) {
    long rank = waiters.values().stream().mapToLong(Waiter::rank).min().orElse(Permits.NEVER);
    return ask("", limitOfAll, new Use(holders.size(), waiters.size(), rank));
  }

  /// What this node needs of the limit of one key.
  PermitNeed ask(int limitOfKey, String key) {
    TreeSet<Waiter> line = lines.get(key);
    int waiting = line == null ? 0 : line.size();
    long rank = line == null ? Permits.NEVER : line.getFirst().rank();
    return ask("=" + key, limitOfKey, new Use(running.getOrDefault(key, 0), waiting, rank));
  }

  private record Use(int running, int waiting, long rank) {}

  private PermitNeed ask(String name, int most, Use use) {
    long question = ++questions;
    asked.put(name, question);
    allow(name, Math.min(quota(name), use.running));
    int needed = use.running + use.waiting;
    return new PermitNeed(type, name, most, use.running, needed, use.rank, question);
  }

  /// Takes an answer. One to an earlier question tells nothing about what the store has now.
  void answer(PermitNeed need, PermitAnswer answer) {
    if (asked.getOrDefault(need.key(), 0L) != need.question()) {
      return;
    }
    asked.remove(need.key());
    if (answer.held() == 0 && need.needed() == 0) {
      standings.remove(need.key());
    } else {
      standings.put(need.key(), new Standing(answer.held(), need.needed()));
    }
    allow(need.key(), answer.usable());
  }

  /// What this node held has returned without it. It asks again what it was asking, because an
  /// answer that is still on its way may belong to the time before or after.
  void revoke() {
    tokens = 0;
    asked.replaceAll((_, _) -> ++questions);
    standings.clear();
    allow("", 0);
    for (String key : List.copyOf(keyQuotas.keySet())) {
      allow("=" + key, 0);
    }
  }

  /// This node may have so many calls in progress.
  ///
  /// @param name as in [PermitNeed#key]
  private void allow(String name, int calls) {
    if (name.isEmpty()) {
      quota = calls;
      return;
    }
    String key = name.substring(1);
    hide(key);
    if (calls == 0) {
      keyQuotas.remove(key);
    } else {
      keyQuotas.put(key, calls);
    }
    show(key);
  }
}
