package dev.damask.effect;

import dev.damask.effect.EffectLimit.Rate;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The permits of the effect types that have a limit, who holds one and who waits for one.
///
/// It is not stored: all of it follows from the intents, which are. An intent that waits is durable
/// before it comes here. A permit is used by the commit that plans the call, and returns with the
/// commit that ends the attempt. After a restart every open effect of a limited type comes here
/// again, with the time since when it waits, so no permit is lost and nobody loses a place. A rate
/// begins with an empty allowance then, because the calls before the restart are not known.
///
/// All methods may be called from any thread. Grants are delivered under the lock, so the receiver
/// must not block.
public final class Permits {
  /// One attempt of an effect.
  public record Owner(String caseId, EffectId effect, int attempt) {}

  /// An attempt that waits.
  public record Waiter(Owner owner, String type, String key, int priority, long sinceMillis) {
    private static final Comparator<Waiter> ORDER =
        Comparator.comparingLong(Waiter::rank)
            .thenComparing(each -> each.owner.caseId)
            .thenComparingLong(each -> each.owner.effect.lineage())
            .thenComparingInt(each -> each.owner.attempt);

    /// A level of priority counts as a time of waiting.
    private long rank() {
      return sinceMillis - priority * EffectLimit.PRIORITY_STEP.toMillis();
    }
  }

  /// The calls of a limited type.
  ///
  /// @param running how many hold a permit
  /// @param waiting how many wait for one
  /// @param first those that wait, in the order of their turns, at most [#FIRST_MAX]
  public record View(String type, EffectLimit limit, int running, int waiting, List<Waiter> first) {
    /// How many of those that wait a view lists.
    public static final int FIRST_MAX = 100;

    public View {
      first = List.copyOf(first);
    }
  }

  /// Receives what the permits decide.
  public interface Receiver {
    /// An attempt may be sent.
    void granted(Owner owner);

    /// The next permit becomes free at another time.
    void dueChanged();
  }

  /// When no permit becomes free by itself.
  public static final long NEVER = Long.MAX_VALUE;

  private final Map<String, Lane> lanes = new LinkedHashMap<>();
  private final Receiver receiver;
  private final Map<Owner, Lane> known = new HashMap<>();
  private int waiting;
  private long direct;
  private final Set<Integer> recovering = new HashSet<>();
  private volatile long due = NEVER; // read without the lock

  /// @param recovering how many shards must have taken up their cases before the first permit is
  ///   granted, so that those who waited longest before a restart come first
  /// @param openedMillis when the engine was opened, if calls may have been made before; else
  ///   `Long.MIN_VALUE`
  public Permits(
      Map<String, EffectLimit> limits, int recovering, long openedMillis, Receiver receiver) {
    limits.forEach((type, limit) -> lanes.put(type, new Lane(type, limit, openedMillis)));
    for (int shard = 0; shard < recovering; shard++) {
      this.recovering.add(shard);
    }
    this.receiver = receiver;
  }

  /// A shard has taken up its cases.
  public synchronized void recovered(int shard, long now) {
    recovering.remove(shard);
    lanes.values().forEach(lane -> grant(lane, now));
    plan(now);
  }

  /// One limited type.
  private static final class Lane {
    final String type;
    final EffectLimit limit;
    final Map<Owner, String> holders = new HashMap<>(); // with their keys
    final Map<String, Integer> running = new HashMap<>();
    final Map<String, TreeSet<Waiter>> lines = new HashMap<>();

    /// The first of each line whose key has room.
    final TreeSet<Waiter> ready = new TreeSet<>(Waiter.ORDER);

    final Map<Owner, Waiter> waiters = new HashMap<>();
    final ArrayDeque<Long> begun = new ArrayDeque<>(); // when the last calls began
    final long openedMillis;

    Lane(String type, EffectLimit limit, long openedMillis) {
      this.type = type;
      this.limit = limit;
      this.openedMillis = openedMillis;
    }

    boolean hasRoom() {
      return limit.atOnce().isEmpty() || holders.size() < limit.atOnce().getAsInt();
    }

    boolean hasRoom(String key) {
      return limit.perKey().isEmpty() || running.getOrDefault(key, 0) < limit.perKey().getAsInt();
    }

    /// When the rate allows the next call.
    long nextAt() {
      Rate rate = limit.rate().orElse(null);
      if (rate == null) {
        return Long.MIN_VALUE;
      }
      long period = rate.period().toMillis();
      long first = openedMillis == Long.MIN_VALUE ? Long.MIN_VALUE : openedMillis + period;
      return begun.size() < rate.calls() ? first : Math.max(first, begun.peekFirst() + period);
    }

    void hold(Owner owner, String key, long now) {
      holders.put(owner, key);
      running.merge(key, 1, Integer::sum);
      Rate rate = limit.rate().orElse(null);
      if (rate != null) {
        begun.addLast(now);
        if (begun.size() > rate.calls()) {
          begun.removeFirst();
        }
      }
    }

    void add(Waiter waiter) {
      hide(waiter.key);
      lines.computeIfAbsent(waiter.key, _ -> new TreeSet<>(Waiter.ORDER)).add(waiter);
      waiters.put(waiter.owner, waiter);
      show(waiter.key);
    }

    void remove(Waiter waiter) {
      hide(waiter.key);
      TreeSet<Waiter> line = lines.get(waiter.key);
      if (line != null) {
        line.remove(waiter);
        if (line.isEmpty()) {
          lines.remove(waiter.key);
        }
      }
      waiters.remove(waiter.owner);
      show(waiter.key);
    }

    void release(String key) {
      hide(key);
      running.merge(key, -1, (one, other) -> one + other == 0 ? null : one + other);
      show(key);
    }

    private void hide(String key) {
      TreeSet<Waiter> line = lines.get(key);
      if (line != null) {
        ready.remove(line.getFirst());
      }
    }

    private void show(String key) {
      TreeSet<Waiter> line = lines.get(key);
      if (line != null && hasRoom(key)) {
        ready.add(line.getFirst());
      }
    }
  }

  /// Whether no type has a limit.
  public boolean isEmpty() {
    return lanes.isEmpty();
  }

  /// Whether calls of a type need a permit.
  public boolean isLimited(String type) {
    return lanes.containsKey(type);
  }

  /// Returns the place of an attempt in the queue of its type. Throws what the user's functions for
  /// key and priority throw.
  ///
  /// @param context the context of the task with the payload merged into it
  public Waiter waiter(Owner owner, String type, Context context, long since) {
    Lane lane = lanes.get(type);
    if (lane == null) {
      throw new IllegalArgumentException("effects of type " + type + " have no limit");
    }
    return lane.limit.waiter(owner, type, context, since);
  }

  /// An attempt waits for a permit. If it holds one that it has not used, it is granted again.
  public synchronized void await(Waiter waiter, long now) {
    Lane lane = lanes.get(waiter.type);
    if (lane == null || lane.waiters.containsKey(waiter.owner)) {
      return;
    }
    if (lane.holders.containsKey(waiter.owner)) {
      receiver.granted(waiter.owner);
      return;
    }
    lane.add(waiter);
    known.put(waiter.owner, lane);
    waiting++;
    grant(lane, now);
    plan(now);
  }

  /// An attempt is over, or nobody waits for it any more.
  public synchronized void release(Owner owner, long now) {
    Lane lane = known.remove(owner);
    if (lane == null) {
      return;
    }
    Waiter waiter = lane.waiters.get(owner);
    if (waiter != null) {
      lane.remove(waiter);
      waiting--;
    } else {
      String key = lane.holders.remove(owner);
      if (key != null) {
        lane.release(key);
      }
    }
    grant(lane, now);
    plan(now);
  }

  /// Takes a permit for a call that the calling thread makes itself; null if none is free.
  public synchronized @Nullable Owner tryEnter(String type, Context context, long now) {
    Lane lane = lanes.get(type);
    Owner owner = new Owner("", new EffectId(++direct), 0);
    if (lane == null) {
      return owner;
    }
    String key = lane.limit.key().apply(context);
    if (!lane.hasRoom() || !lane.hasRoom(key) || lane.nextAt() > now) {
      return null;
    }
    lane.hide(key);
    lane.hold(owner, key, now);
    lane.show(key);
    known.put(owner, lane);
    return owner;
  }

  /// Grants what the time allows.
  public void advance(long now) {
    if (due <= now) {
      synchronized (this) {
        lanes.values().forEach(lane -> grant(lane, now));
        plan(now);
      }
    }
  }

  /// When the next permit becomes free by itself; [#NEVER] when none does.
  public long due() {
    return due;
  }

  private void grant(Lane lane, long now) {
    while (recovering.isEmpty()
        && !lane.ready.isEmpty()
        && lane.hasRoom()
        && lane.nextAt() <= now) {
      Waiter first = lane.ready.getFirst();
      lane.remove(first);
      lane.hide(first.key);
      lane.hold(first.owner, first.key, now);
      lane.show(first.key);
      waiting--;
      receiver.granted(first.owner);
    }
  }

  private void plan(long now) {
    long next = NEVER;
    for (Lane lane : lanes.values()) {
      if (recovering.isEmpty() && !lane.ready.isEmpty() && lane.hasRoom() && lane.nextAt() > now) {
        next = Math.min(next, lane.nextAt());
      }
    }
    if (next != due) {
      due = next;
      receiver.dueChanged();
    }
  }

  /// Returns how many attempts wait.
  public synchronized long waiting() {
    return waiting;
  }

  /// Returns the limited types and who waits.
  public synchronized List<View> views() {
    List<View> views = new ArrayList<>();
    for (Lane lane : lanes.values()) {
      List<Waiter> first =
          lane.waiters.values().stream().sorted(Waiter.ORDER).limit(View.FIRST_MAX).toList();
      views.add(new View(lane.type, lane.limit, lane.holders.size(), lane.waiters.size(), first));
    }
    return views;
  }
}
