package dev.damask.store.postgres;

import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.SlotOwner;
import dev.damask.program.ProgramHash;
import dev.damask.sql.InboxMessage;
import dev.damask.sql.NodePoll;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.AppliedMessage;
import dev.damask.store.CommitBatch;
import dev.damask.store.MessageReply;
import dev.damask.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The thread of a node that polls: it raises the counter, looks after the other nodes and receives
/// messages. It waits for nothing but the database; what takes longer is [SlotChanges]'s.
final class NodeLoop {
  private static final System.Logger LOG = System.getLogger(NodeLoop.class.getName());
  private static final int INBOX_MAX = 1_000;
  private static final long BUSY_MILLIS = 2;
  private static final long IDLE_MILLIS = 500;
  private static final int POLLS_PER_LEASE = 6;

  private final ClusterMember member;
  private final PostgresNode node;
  private final SlotChanges changes;
  private final CountDownLatch closing;
  private final long idleMillis;
  private final PolledMessages polled = new PolledMessages();
  private final Queue<PolledMessages.Key> retries = new ConcurrentLinkedQueue<>();

  /// Null until the engine is ready and after it has retired.
  private volatile @Nullable SlotOwner owner; // written by the engine's thread

  private volatile Supplier<Set<ProgramHash>> programs = Set::of; // written before the first poll
  private volatile boolean hasGivenUp; // written by the thread that stops the engine

  // Used by the thread that polls.
  private final ThreadFailures failures;
  private boolean wasSkewed;
  private String schedule = "";
  private int programsShown = -1; // how many; the engine never loses one; -1 if unsure
  private long foreignNanos = System.nanoTime();

  NodeLoop(ClusterMember member, SlotChanges changes, CountDownLatch closing, Duration lease) {
    this.member = member;
    this.node = member.node;
    this.changes = changes;
    this.closing = closing;
    this.failures = new ThreadFailures("the heartbeat of node " + node.id());
    this.idleMillis = Math.min(IDLE_MILLIS, Math.max(1, lease.toMillis() / POLLS_PER_LEASE));
  }

  /// Passes messages on to the engine from now on; drops them if it is null.
  void serve(@Nullable SlotOwner to) {
    owner = to;
  }

  /// Shows from now on which programs the engine has.
  void showPrograms(Supplier<Set<ProgramHash>> known) {
    programs = known;
  }

  private void showPrograms() throws SQLException {
    Set<ProgramHash> known = programs.get();
    if (owner != null && known.size() != programsShown) {
      node.showPrograms(known);
      programsShown = known.size();
    }
  }

  /// Delivers a message again.
  void redeliver(CaseMessage message) {
    retries.add(new PolledMessages.Key(message.caseId(), message.messageId()));
  }

  /// Messages have left the inbox. One of the same id that is sent again before the next poll is
  /// another row, and must be delivered.
  void applied(List<AppliedMessage> gone) {
    gone.forEach(each -> retries.add(new PolledMessages.Key(each.caseId(), each.messageId())));
  }

  /// Does not raise the counter any more; the node fences itself.
  void surrender() {
    hasGivenUp = true;
  }

  /// Fences the node itself. If the database refuses that, another node does it after the lease.
  private void fenceSelf() throws InterruptedException {
    while (closing.getCount() > 0) {
      try {
        node.surrender();
        LOG.log(
            System.Logger.Level.ERROR,
            "node {0}: its engine has stopped; the other nodes take over",
            node.id());
        return;
      } catch (SQLException | StoreException e) {
        LOG.log(
            System.Logger.Level.WARNING, "node {0}: cannot give up its slots: {1}", node.id(), e);
        closing.await(idleMillis, TimeUnit.MILLISECONDS);
      }
    }
  }

  /// Polls until the store is closed, the engine has stopped or the node is fenced.
  void run() throws InterruptedException {
    boolean isLast = false;
    while (!isLast && closing.getCount() > 0) {
      try {
        isLast = beat();
      } catch (RuntimeException | Error e) { // without a heartbeat the node is lost
        failures.report(e);
        closing.await(idleMillis, TimeUnit.MILLISECONDS);
      }
    }
  }

  /// Polls once and pauses. Returns whether the engine has stopped or the node is fenced.
  private boolean beat() throws InterruptedException {
    if (hasGivenUp) {
      fenceSelf();
      return true;
    }
    boolean isBusy = false;
    // Before the poll: what it then returns under such a key was sent later.
    for (PolledMessages.Key key = retries.poll(); key != null; key = retries.poll()) {
      polled.retry(key);
    }
    try {
      NodePoll poll = node.poll(owner == null ? 0 : INBOX_MAX, polled::isKnown);
      if (poll.isFenced()) {
        LOG.log(
            System.Logger.Level.ERROR,
            "node {0} was fenced: another node has taken over; it joins again",
            node.id());
        changes.found(poll);
        return true;
      }
      changes.found(poll);
      isBusy = received(poll);
      showPrograms();
    } catch (SQLException | StoreException e) {
      programsShown = -1; // the server may have crashed and lost them
      LOG.log(System.Logger.Level.WARNING, "node {0}: no heartbeat: {1}", node.id(), e);
    }
    pause(isBusy ? BUSY_MILLIS : idleMillis);
    return false;
  }

  private void pause(long millis) throws InterruptedException {
    try {
      member.hints.await((int) millis);
    } catch (SQLException | StoreException e) {
      closing.await(millis, TimeUnit.MILLISECONDS);
    }
  }

  /// Passes on what a poll has found. Returns whether more may come soon.
  private boolean received(NodePoll poll) throws SQLException {
    SlotOwner engine = owner;
    if (engine == null) {
      return false;
    }
    if (poll.hasLost()) {
      engine.callersGone();
    }
    if (node.mayWork() && node.takeRefused()) {
      engine.resumed();
    }
    if (poll.rows().hasMessages()) {
      engine.familyMessages();
    }
    if (poll.rows().hasExpired()) {
      engine.claimsExpired();
    }
    if (!poll.rows().schedule().equals(schedule)) {
      schedule = poll.rows().schedule();
      engine.schedulesChanged();
    }
    warnOfClock();
    withdraw(engine);
    return deliver(engine, poll);
  }

  private void warnOfClock() {
    boolean isSkewed = node.isSkewed();
    if (isSkewed && !wasSkewed) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node {0}: its clock differs from the database''s by more than a second; timers follow"
              + " the database",
          node.id());
    }
    wasSkewed = isSkewed;
  }

  /// Ends calls for cases of other nodes whose results no node waits for any more.
  private void withdraw(SlotOwner engine) throws SQLException {
    long now = System.nanoTime();
    if (now - foreignNanos < TimeUnit.MILLISECONDS.toNanos(idleMillis)) {
      return;
    }
    foreignNanos = now;
    List<SlotOwner.ForeignCall> calls = engine.foreignCalls();
    if (!calls.isEmpty()) {
      engine.withdraw(node.withdrawn(calls));
    }
  }

  private boolean deliver(SlotOwner engine, NodePoll poll) {
    Set<PolledMessages.Key> fresh = new HashSet<>(polled.fresh(poll.inbox().waiting()));
    boolean isDelivered = false;
    try {
      deliver(engine, poll, fresh);
      isDelivered = true;
    } finally {
      if (!isDelivered) {
        retries.addAll(fresh);
      }
    }
    return !poll.inbox().waiting().isEmpty() || poll.inbox().hasMore();
  }

  private void deliver(SlotOwner engine, NodePoll poll, Set<PolledMessages.Key> fresh) {
    List<CaseMessage> delivered = new ArrayList<>();
    List<AppliedMessage> answered = new ArrayList<>();
    for (InboxMessage each : poll.inbox().read()) {
      if (fresh.contains(key(each))) {
        read(each, poll.answered(), delivered, answered);
      }
    }
    if (!answered.isEmpty()) {
      var _ =
          member
              .commits
              .commit(CommitBatch.ofReplies(answered, List.of()))
              .whenComplete((_, _) -> applied(answered));
    }
    engine.deliver(delivered);
  }

  private static PolledMessages.Key key(InboxMessage message) {
    return new PolledMessages.Key(message.caseId(), message.messageId());
  }

  private static void read(
      InboxMessage message,
      Map<PolledMessages.Key, Integer> answers,
      List<CaseMessage> delivered,
      List<AppliedMessage> answered) {
    Integer answer = answers.get(key(message));
    if (answer != null) {
      answered.add(reply(message, answer, ""));
      return;
    }
    try {
      delivered.add(message.toCase());
    } catch (RuntimeException e) { // JSON that is not an object, or bytes of another version
      answered.add(reply(message, MessageReply.BAD_ARGUMENT, String.valueOf(e.getMessage())));
    }
  }

  private static AppliedMessage reply(InboxMessage message, int answer, String detail) {
    return new AppliedMessage(
        message.caseId(), message.messageId(), new MessageReply(answer, 0, detail), false);
  }
}
