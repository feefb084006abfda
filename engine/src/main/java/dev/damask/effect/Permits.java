package dev.damask.effect;

import dev.damask.effect.EffectLimit.Rate;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The permits of the effect types that have a limit, who holds one and who waits for one.
///
/// It is not stored: all of it follows from the intents, which are. An intent that waits is durable
/// before it comes here. A permit is used by the commit that plans the call, and returns with the
/// commit that ends the attempt. After a restart every open effect of a limited type comes here
/// again, with the time since when it waits, so no permit is lost and no call loses its place. A
/// rate begins with an empty allowance then, because the calls before the restart are not known.
///
/// All methods may be called from any thread. Grants are delivered under the lock, so the receiver
/// must not block.
public final class Permits {
  /// One attempt of an effect.
  public record Owner(String caseId, EffectId effect, int attempt) {}

  /// An attempt that waits.
  public record Waiter(Owner owner, String type, String key, int priority, long sinceMillis) {
    static final Comparator<Waiter> ORDER =
        Comparator.comparingLong(Waiter::rank)
            .thenComparing(each -> each.owner.caseId)
            .thenComparingLong(each -> each.owner.effect.lineage())
            .thenComparingInt(each -> each.owner.attempt);

    /// A level of priority counts as a time of waiting.
    long rank() {
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

    /// A call waits that this node was not allowed yet, or a permit was returned.
    default void needChanged() {}

    /// Asks the other nodes for one more permit now, outside of any lock.
    default void borrow(String type, String key) {}
  }

  /// When no permit becomes free by itself.
  public static final long NEVER = Long.MAX_VALUE;

  private final Map<String, PermitLane> lanes = new LinkedHashMap<>();
  private final Receiver receiver;
  private final boolean isShared;
  private final Map<Owner, PermitLane> known = new HashMap<>();
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
    this(limits, recovering, openedMillis, receiver, false);
  }

  /// @param isShared whether other nodes have calls of the same types: then this node begins only
  ///   what it was allowed, see [#needs]
  public Permits(
      Map<String, EffectLimit> limits,
      int recovering,
      long openedMillis,
      Receiver receiver,
      boolean isShared) {
    this.isShared = isShared;
    limits.forEach(
        (type, limit) -> lanes.put(type, new PermitLane(type, limit, openedMillis, isShared)));
    for (int shard = 0; shard < recovering; shard++) {
      this.recovering.add(shard);
    }
    this.receiver = receiver;
  }

  /// A shard has taken up its cases.
  public synchronized void recovered(int shard, long now) {
    recovering.remove(shard);
    lanes.values().forEach(lane -> grant(lane, now));
    plan();
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
    PermitLane lane = lanes.get(type);
    if (lane == null) {
      throw new IllegalArgumentException("effects of type " + type + " have no limit");
    }
    return lane.limit.waiter(owner, type, context, since);
  }

  /// An attempt waits for a permit. If it holds one that it has not used, it is granted again.
  public synchronized void await(Waiter waiter, long now) {
    PermitLane lane = lanes.get(waiter.type);
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
    plan();
    if (isShared && lane.waiters.containsKey(waiter.owner)) {
      receiver.needChanged();
    }
  }

  /// An attempt has ended, or its case no longer waits for it.
  public synchronized void release(Owner owner, long now) {
    PermitLane lane = known.remove(owner);
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
        if (isShared && lane.hasSpare(key)) {
          receiver.needChanged();
        }
      }
    }
    grant(lane, now);
    plan();
  }

  /// Takes a permit for a call that the calling thread makes itself; null if none is free.
  public @Nullable Owner tryEnter(String type, Context context, long now) {
    Owner entered = enter(type, context, now);
    if (entered != null || !isShared) {
      return entered;
    }
    EffectLimit limit = Objects.requireNonNull(lanes.get(type)).limit;
    receiver.borrow(type, limit.keyOf(context));
    return enter(type, context, now);
  }

  private synchronized @Nullable Owner enter(String type, Context context, long now) {
    PermitLane lane = lanes.get(type);
    Owner owner = new Owner("", new EffectId(++direct), 0);
    if (lane == null) {
      return owner;
    }
    String key = lane.limit.keyOf(context);
    if (!lane.hasRoom() || !lane.hasRoom(key) || lane.nextAt() > now) {
      return null;
    }
    lane.hide(key);
    lane.hold(owner, key, now);
    lane.show(key);
    known.put(owner, lane);
    return owner;
  }

  /// Cases have moved to other nodes: no case waits for their permits here. A call that runs here
  /// keeps its permit until it ends.
  public synchronized void moved(Predicate<String> isGone, Predicate<Owner> isCalling, long now) {
    for (Owner owner : List.copyOf(known.keySet())) {
      if (isGone.test(owner.caseId) && !isCalling.test(owner)) {
        release(owner, now);
      }
    }
  }

  /// This node was fenced: what it had borrowed has returned.
  public synchronized void revoke() {
    lanes.values().forEach(PermitLane::revoke);
    plan();
  }

  /// Returns what this node needs of the limits that it shares with other nodes, as far as the
  /// store does not know it or may allow more. The caller answers with [#allow]; until then no call
  /// begins that the needs do not have in progress, because the node may have to return what it
  /// does not use. A need without an answer is returned again, because what the store has is not
  /// known.
  public synchronized List<PermitNeed> needs() {
    List<PermitNeed> needs = new ArrayList<>();
    lanes.values().forEach(lane -> lane.addNeeds(needs));
    plan();
    return needs;
  }

  /// Returns the needs of one type and key, whatever this node has. The caller answers as above.
  public synchronized List<PermitNeed> needs(String type, String key) {
    List<PermitNeed> needs = new ArrayList<>();
    PermitLane lane = lanes.get(type);
    if (lane != null) {
      lane.limit.atOnce().ifPresent(most -> needs.add(lane.ask(most)));
      lane.limit.perKey().ifPresent(most -> needs.add(lane.ask(most, key)));
      plan();
    }
    return needs;
  }

  /// Returns how many calls of each limited rate could begin now if the rate allowed it.
  public synchronized List<RateNeed> rateNeeds() {
    List<RateNeed> needs = new ArrayList<>();
    for (PermitLane lane : lanes.values()) {
      Rate rate = lane.limit.rate().orElse(null);
      boolean hasTokens = lane.nextAt() != NEVER;
      if (rate != null && !hasTokens && !lane.ready.isEmpty() && lane.hasRoom()) {
        needs.add(new RateNeed(lane.type, rate.calls(), rate.period(), lane.waiters.size()));
      }
    }
    return needs;
  }

  /// Returns the rate of a type; empty if it has none.
  public Optional<RateNeed> rateNeed(String type) {
    PermitLane lane = lanes.get(type);
    return lane == null
        ? Optional.empty()
        : lane.limit.rate().map(rate -> new RateNeed(type, rate.calls(), rate.period(), 1));
  }

  /// The store has answered a need.
  public synchronized void allow(PermitNeed need, PermitAnswer answer, long now) {
    PermitLane lane = Objects.requireNonNull(lanes.get(need.type()));
    lane.answer(need, answer);
    grant(lane, now);
    plan();
  }

  /// This node may begin so many calls of a limited rate.
  ///
  /// @param untilNanos by `System.nanoTime`
  public synchronized void begin(String type, int calls, long untilNanos, long now) {
    PermitLane lane = Objects.requireNonNull(lanes.get(type));
    lane.tokens = calls;
    lane.tokensUntil = untilNanos;
    grant(lane, now);
    plan();
  }

  /// Grants what the time allows.
  public void advance(long now) {
    if (due <= now) {
      synchronized (this) {
        lanes.values().forEach(lane -> grant(lane, now));
        plan();
      }
    }
  }

  /// When the next permit becomes free by itself; [#NEVER] when none does.
  public long due() {
    return due;
  }

  private void grant(PermitLane lane, long now) {
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

  /// Plans the next grant. A lane other than the one that has changed may be due already.
  private void plan() {
    long next = NEVER;
    for (PermitLane lane : lanes.values()) {
      if (recovering.isEmpty() && !lane.ready.isEmpty() && lane.hasRoom()) {
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
    for (PermitLane lane : lanes.values()) {
      List<Waiter> first =
          lane.waiters.values().stream().sorted(Waiter.ORDER).limit(View.FIRST_MAX).toList();
      views.add(new View(lane.type, lane.limit, lane.holders.size(), lane.waiters.size(), first));
    }
    return views;
  }
}
