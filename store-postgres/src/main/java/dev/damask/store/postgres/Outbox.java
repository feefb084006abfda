package dev.damask.store.postgres;

import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.NotAppliedException;
import dev.damask.cluster.PolledMessages;
import dev.damask.sql.InboxMessage;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.ReservedConnection;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.MessageReply;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Messages to cases of other nodes, their replies, and the ends of cases that are awaited. One
/// thread stores messages, all that wait in one transaction; another one polls for replies and
/// ends.
final class Outbox {
  private static final int BATCH_MAX = 500;
  private static final int POLLED_MAX = 1_000;
  private static final long PAUSE_MIN_MILLIS = 2;
  private static final long PAUSE_MAX_MILLIS = 50;
  private static final long RETRY_MILLIS = 100;
  private static final int REPLIES_FORGOTTEN_MINUTES = 10;

  /// The kind of messages that report the result of a call. They are tried until the node closes:
  /// the owner of the case waits for them as long as this node lives.
  private static final String REPORT = "report";

  /// A message in flight.
  private record Sent(
      InboxMessage message, CompletableFuture<MessageReply> reply, long deadlineNanos) {
    PolledMessages.Key key() {
      return new PolledMessages.Key(message.caseId(), message.messageId());
    }

    boolean isReport() {
      return message.kind().equals(REPORT);
    }

    boolean isOver(long nanos) {
      return !isReport() && nanos - deadlineNanos >= 0;
    }
  }

  private final PostgresInbox inbox;
  private final ReservedConnection sending;
  private final ReservedConnection polling;
  private final long patienceNanos;
  private final ThreadFailures sendFailures = new ThreadFailures("sending messages");
  private final ThreadFailures pollFailures = new ThreadFailures("polling for replies");
  private final CountDownLatch closing = new CountDownLatch(1);
  private final BlockingQueue<Sent> queue = new LinkedBlockingQueue<>();
  private final Map<PolledMessages.Key, List<Sent>> accepted = new ConcurrentHashMap<>();
  private final Map<String, List<CompletableFuture<Void>>> ends = new ConcurrentHashMap<>();
  private final Semaphore awaited = new Semaphore(0); // released for each reply or end to poll for
  private long forgottenNanos = System.nanoTime(); // used by the thread that polls

  Outbox(PostgresInbox inbox, NodeConnections connections, Duration patience) {
    this.inbox = inbox;
    this.sending = new ReservedConnection(connections);
    this.polling = new ReservedConnection(connections);
    this.patienceNanos = patience.toNanos();
  }

  CompletableFuture<MessageReply> send(CaseMessage message) {
    CompletableFuture<MessageReply> reply = new CompletableFuture<>();
    try {
      queue.add(new Sent(InboxMessage.of(message), reply, System.nanoTime() + patienceNanos));
    } catch (IllegalArgumentException e) {
      reply.completeExceptionally(e);
    }
    return reply;
  }

  CompletableFuture<Void> awaitEnd(String caseId) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    ends.compute(caseId, (_, known) -> with(known == null ? List.of() : known, end));
    awaited.release();
    return end;
  }

  private static <T> List<T> with(List<T> known, T more) {
    List<T> all = new ArrayList<>(known);
    all.add(more);
    return all;
  }

  /// Stores messages until it is closed and none is left: results of calls that have ended in the
  /// grace period are among them.
  void runSender() throws InterruptedException {
    while (closing.getCount() > 0 || !queue.isEmpty()) {
      Sent first = queue.poll(RETRY_MILLIS, TimeUnit.MILLISECONDS);
      if (first != null) {
        List<Sent> batch = new ArrayList<>(List.of(first));
        queue.drainTo(batch, BATCH_MAX - 1);
        store(batch);
      }
    }
  }

  private void store(List<Sent> batch) throws InterruptedException {
    List<Sent> left = new ArrayList<>(batch);
    while (!left.isEmpty()) {
      try {
        insert(left);
        left.forEach(sent ->
            accepted.compute(
                sent.key(), (_, known) -> with(known == null ? List.of() : known, sent)));
        awaited.release();
        return;
      } catch (SQLException | StoreException e) {
        sending.discard();
        long now = System.nanoTime();
        boolean isClosing = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        left.removeIf(sent -> {
          boolean isOver = isClosing || sent.isOver(now);
          if (isOver) {
            sent.reply.completeExceptionally(notStored(sent, e));
          }
          return isOver;
        });
        if (e instanceof SQLException refused && !PostgresErrors.isTransient(refused)) {
          if (!left.isEmpty()) {
            separate(left, e);
          }
          return;
        }
        queue.drainTo(left, BATCH_MAX); // their callers wait no longer than that of the first
      } catch (RuntimeException | Error e) { // a message that cannot be stored, or a defect
        sending.discard();
        separate(left, e);
        return;
      }
    }
  }

  /// Tries each of several messages alone. Refuses a single one; a report is tried again with what
  /// is sent next.
  private void separate(List<Sent> unsent, Throwable thrown) throws InterruptedException {
    if (unsent.size() > 1) {
      for (Sent each : unsent) {
        store(List.of(each));
      }
      return;
    }
    sendFailures.report(thrown);
    Sent sent = unsent.getFirst();
    if (sent.isReport() && !closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
      queue.add(sent);
    } else {
      sent.reply.completeExceptionally(notStored(sent, thrown));
    }
  }

  private static IllegalStateException notStored(Sent sent, Throwable e) {
    return new IllegalStateException(
        "case %s: message %s cannot be stored at the moment; send it again under the same id: %s"
            .formatted(sent.message.caseId(), sent.message.messageId(), e.getMessage()),
        e);
  }

  private void insert(List<Sent> batch) throws SQLException {
    Connection connection = sending.get();
    inbox.accept(connection, batch.stream().map(Sent::message).toList());
    inbox.wake(connection);
  }

  /// Polls for replies and ends until it is closed.
  void runPoller() throws InterruptedException {
    long pause = PAUSE_MIN_MILLIS;
    while (closing.getCount() > 0) {
      boolean isIdle = accepted.isEmpty() && ends.isEmpty();
      boolean isNew = awaited.tryAcquire(isIdle ? RETRY_MILLIS : pause, TimeUnit.MILLISECONDS);
      awaited.drainPermits();
      forget();
      if (accepted.isEmpty() && ends.isEmpty()) {
        continue;
      }
      boolean hasFound = false;
      try {
        hasFound = poll();
      } catch (SQLException | StoreException e) {
        polling.discard();
        System.getLogger(Outbox.class.getName())
            .log(System.Logger.Level.DEBUG, "no replies at the moment: {0}", e.toString());
      } catch (RuntimeException | Error e) { // callers would wait for ever
        polling.discard();
        pollFailures.report(e);
      }
      expire();
      pause = isNew || hasFound ? PAUSE_MIN_MILLIS : Math.min(2 * pause, PAUSE_MAX_MILLIS);
    }
    IllegalStateException closed = new IllegalStateException("the store is closed");
    queue.forEach(sent -> sent.reply.completeExceptionally(closed));
    accepted.values().forEach(all -> all.forEach(each -> each.reply.completeExceptionally(closed)));
    ends.values().forEach(all -> all.forEach(each -> each.completeExceptionally(closed)));
  }

  private void forget() {
    long now = System.nanoTime();
    if (now - forgottenNanos <= TimeUnit.MINUTES.toNanos(REPLIES_FORGOTTEN_MINUTES)) {
      return;
    }
    forgottenNanos = now;
    try {
      inbox.forgetReplies(polling.get());
    } catch (SQLException | StoreException e) {
      polling.discard();
    } catch (RuntimeException | Error e) {
      polling.discard();
      pollFailures.report(e);
    }
  }

  private boolean poll() throws SQLException {
    Connection connection = polling.get();
    boolean hasFound = false;
    for (List<PolledMessages.Key> keys : parts(accepted.keySet())) {
      Map<PolledMessages.Key, MessageReply> replies = inbox.replies(connection, keys);
      replies.forEach((key, reply) -> {
        List<Sent> all = accepted.remove(key);
        if (all != null) {
          all.forEach(sent -> sent.reply.complete(reply));
        }
      });
      hasFound |= !replies.isEmpty();
    }
    for (List<String> cases : parts(ends.keySet())) {
      for (String caseId : inbox.ended(connection, cases)) {
        hasFound = true;
        List<CompletableFuture<Void>> all = ends.remove(caseId);
        if (all != null) {
          all.forEach(end -> end.complete(null));
        }
      }
    }
    return hasFound;
  }

  /// Everything that is waited for, in parts of the size of a query. A part alone would be the same
  /// one at each poll.
  private static <T> List<List<T>> parts(Collection<T> awaited) {
    List<T> all = List.copyOf(awaited);
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += POLLED_MAX) {
      parts.add(all.subList(from, Math.min(from + POLLED_MAX, all.size())));
    }
    return parts;
  }

  private void expire() {
    long now = System.nanoTime();
    accepted.forEach((key, all) -> {
      if (all.stream().allMatch(sent -> now - sent.deadlineNanos >= 0)
          && accepted.remove(key, all)) {
        all.forEach(sent ->
            sent.reply.completeExceptionally(
                new NotAppliedException(key.caseId(), key.messageId())));
      }
    });
  }

  /// Ends both threads; who still waits is refused.
  void close() {
    closing.countDown();
    awaited.release();
  }

  /// Releases the connections, when both threads have ended.
  void release() {
    sending.close();
    polling.close();
  }
}
