package dev.damask.cases;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Pause;
import dev.damask.effect.Permits;
import dev.damask.effect.Permits.Owner;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.intake.Request;
import dev.damask.steps.OpenStep;
import dev.damask.store.CaseRecord;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The permits that effects of a shard's cases were granted. The first shard also grants what only
/// the time delays.
final class ShardPermits {
  private static final int PER_ROUND = 512;

  private final Shard shard;
  private final Permits permits;
  private final Queue<Owner> granted = new ConcurrentLinkedQueue<>(); // filled by any thread

  private boolean isAnnounced; // belongs to the thread that holds the shard's lock

  ShardPermits(Shard shard, Permits permits) {
    this.shard = shard;
    this.permits = permits;
  }

  /// The permits of an engine.
  static Permits open(Engine engine) {
    boolean isAgain = engine.store.epoch() > 1;
    long openedMillis = isAgain ? engine.options.clock().millis() : Long.MIN_VALUE;
    return new Permits(
        engine.options.limits,
        engine.options.shards(),
        openedMillis,
        new Granting(engine),
        engine.ownership.isShared());
  }

  /// An attempt may be sent. The case is notified in a later round.
  void grant(Owner owner) {
    granted.add(owner);
    shard.inbox.wake();
  }

  boolean isIdle() {
    return granted.isEmpty() && (isAnnounced || permits.isEmpty());
  }

  /// The shard is restarted: its cases ask again.
  void forget() {
    isAnnounced = false;
  }

  /// Announces that the shard has taken up its cases, once what they ask for is published.
  void announce(AfterCommit telling) {
    if (!isAnnounced && shard.toResume.isEmpty()) {
      isAnnounced = true;
      telling.outgoing.add(new AfterCommit.Recovered(shard.number));
    }
  }

  /// When this shard has something to grant; never if it is not the first.
  private long due() {
    return shard.number == 0 ? permits.due() : CaseRecord.NEVER;
  }

  /// The earlier of a timer and the next permit.
  long next(long timer) {
    return Math.min(timer, due());
  }

  /// Queues the grants for their cases. A case that cannot be moved gives its permit back and asks
  /// again when it is resumed.
  void accept(long now) {
    if (shard.number == 0) {
      permits.advance(now);
    }
    for (int i = 0; i < PER_ROUND; i++) {
      Owner owner = granted.poll();
      if (owner == null) {
        return;
      }
      LiveCase found = shard.findUnlessDamaged(owner.caseId(), now);
      if (found == null || found.isQuarantined) {
        permits.release(owner, now);
      } else if (found.isPaused()) {
        permits.release(owner, now);
        found.paused.toTakeUp.add(owner.effect());
      } else {
        found.queue.addLast(new Request.Admit(owner.caseId(), owner.effect(), owner.attempt()));
        shard.moving.add(found);
      }
    }
  }

  /// Plans an attempt that waits for a permit. Its time does not run.
  void queue(LiveCase live, EffectRequest request, EffectIntent intent, long now) {
    EffectIntent waits = intent.forAttempt(request.attempt(), false, now).waiting(now);
    live.plan(waits);
    try {
      await(live, request, waits);
    } catch (RuntimeException e) { // the user's function
      live.giveUp(waits, Failure.EXPRESSION, "the limit of its type cannot be applied: " + e);
      return;
    }
    if (request.task().options().timeout() != null) {
      shard.runner.apply(live, new Input.TaskSent(request.token(), false), now);
    }
  }

  /// Asks for the permit of an attempt, once what is planned is durable. False if its type has no
  /// limit, or if no handler performs it in this engine. Throws what the user's functions for key
  /// and priority throw.
  boolean await(LiveCase live, EffectRequest request, EffectIntent intent) {
    if (!isLimited(intent.type())
        || shard.runner.governor.handler(request, intent.type()) == null) {
      return false;
    }
    Pause pause = intent.pause();
    Permits.Waiter waiter =
        permits.waiter(
            new Owner(live.id, intent.id(), request.attempt()),
            intent.type(),
            request.context().withAll(intent.with()),
            pause == null ? intent.sentMillis() : pause.sinceMillis());
    Set<EffectId> again = live.limited == null ? new HashSet<>() : live.limited;
    if (pause == null) {
      again.add(intent.id());
    }
    live.limited = again;
    live.telling.outgoing.add(new AfterCommit.Wait(waiter));
    return true;
  }

  /// Plans a step of a script that waits for a permit; false if its type has no limit.
  boolean queueStep(LiveCase live, EffectIntent intent, Context context, long now) {
    if (!isLimited(intent.type())) {
      return false;
    }
    live.limited = live.limited == null ? new HashSet<>() : live.limited;
    EffectIntent waits = intent.pause() == null ? intent.waiting(now) : intent;
    live.plan(waits);
    Pause pause = waits.pause();
    Owner owner = new Owner(live.id, intent.id(), intent.attempt());
    Permits.Waiter waiter =
        permits.waiter(
            owner,
            intent.type(),
            context.withAll(intent.with()),
            pause == null ? now : pause.sinceMillis());
    live.telling.outgoing.add(new AfterCommit.Wait(waiter));
    return true;
  }

  /// Sends an attempt that was granted a permit. One that has ended meanwhile has released it. An
  /// engine that closes leaves the attempt to the next one.
  void admit(LiveCase live, Request.Admit admit, boolean isClosing, long now) {
    EffectIntent intent = live.intents.get(admit.effect());
    if (isClosing) {
      return;
    }
    if (intent == null || intent.attempt() != admit.attempt()) {
      Owner owner = new Owner(live.id, admit.effect(), admit.attempt());
      live.telling.outgoing.add(new AfterCommit.Release(owner));
      return;
    }
    OpenStep step = shard.runner.scripts.open(shard.runner.scripted(live), intent, now);
    if (step != null) {
      shard.runner.scripts.admitted(step);
      return;
    }
    live.limited = live.limited == null ? new HashSet<>() : live.limited;
    boolean isAgain = live.limited.remove(admit.effect());
    if (intent.pause() == null && !isAgain) {
      return; // a second grant of the same permit
    }
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectHandler handler = shard.runner.governor.handler(request, intent.type());
      boolean isMeant = request.id().equals(admit.effect()) && request.notBefore().isEmpty();
      if (isMeant && handler != null) {
        if (request.task().options().timeout() != null) {
          shard.runner.apply(live, new Input.TaskSent(request.token(), true), now);
        }
        EffectIntent sent = intent.forAttempt(admit.attempt(), true, now);
        EffectIntent planned = shard.runner.governor.limited(sent, now);
        live.plan(planned);
        live.telling.outgoing.add(AfterCommit.Call.of(live, planned, request, handler));
      }
    }
  }

  /// Gives back all permits of a case that is quarantined. It asks again when it is released.
  static void quarantined(LiveCase live, AfterCommit telling) {
    for (EffectIntent intent :
        live.limited == null ? List.<EffectIntent>of() : live.intents.all()) {
      Owner owner = new Owner(live.id, intent.id(), intent.attempt());
      telling.outgoing.add(new AfterCommit.Release(owner));
    }
  }

  /// Gives back the permits of attempts that have ended since the last commit.
  ///
  /// @param replaced the intents that have changed, as they were committed last
  static void releaseEnded(LiveCase live, Map<EffectId, Optional<EffectIntent>> replaced) {
    for (Optional<EffectIntent> each : replaced.values()) {
      each.filter(before -> hasAsked(live, before) && isOver(live, before))
          .ifPresent(before -> {
            Owner owner = new Owner(live.id, before.id(), before.attempt());
            live.telling.outgoing.add(new AfterCommit.Release(owner));
          });
    }
  }

  private static boolean hasAsked(LiveCase live, EffectIntent before) {
    return live.limited != null || before.pause() instanceof Pause.Permit;
  }

  private static boolean isOver(LiveCase live, EffectIntent before) {
    EffectIntent now = live.intents.get(before.id());
    return now == null || now.attempt() != before.attempt() || now.incident().isPresent();
  }

  boolean isLimited(String type) {
    return permits.isLimited(type);
  }

  /// Passes permits to the shards of their cases.
  record Granting(Engine engine) implements Permits.Receiver {
    @Override
    public void granted(Owner owner) {
      engine.shard(owner.caseId()).permits.grant(owner);
    }

    @Override
    public void dueChanged() {
      engine.shards().getFirst().inbox.wake();
    }

    @Override
    public void needChanged() {
      if (engine.ownership instanceof ClusterNode node) {
        node.permits.wake();
      }
    }

    @Override
    public void borrow(String type, String key) {
      if (engine.ownership instanceof ClusterNode node) {
        node.permits.borrowNow(type, key);
      }
    }
  }
}
