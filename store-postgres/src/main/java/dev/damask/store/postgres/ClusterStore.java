package dev.damask.store.postgres;

import dev.damask.cluster.CaseChanges;
import dev.damask.cluster.CaseMessage;
import dev.damask.cluster.PolledMessages;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.SlotOwner;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectTransaction;
import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.RateNeed;
import dev.damask.nursery.ChildError;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.ops.TaskClaims;
import dev.damask.program.ProgramHash;
import dev.damask.sql.SqlText;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.AppliedMessage;
import dev.damask.store.CommitBatch;
import dev.damask.store.JoinOutcome;
import dev.damask.store.MessageReply;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// The store of one node of a cluster. A node that was fenced joins again with a new id, when its
/// engine has dropped every case.
final class ClusterStore extends PostgresReading implements SharedStore {
  private static final System.Logger LOG = System.getLogger(ClusterStore.class.getName());
  private static final long REJOIN_MILLIS = 500;

  /// How long an engine that closes waits for a database that is away.
  private static final Duration AWAY_AT_CLOSE = Duration.ofSeconds(3);

  /// How long an engine that closes waits for other nodes to take its slots.
  private static final Duration LEAVE_MAX = Duration.ofSeconds(5);

  /// What belongs to one life of the node.
  private record Life(
      ClusterMember member, NodeLoop loop, SlotChanges changes, SuspectBatches suspects) {}

  private final DataSource source;
  private final PostgresOptions options;
  private final Outbox outbox;
  private final HeldMessages held = new HeldMessages();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ThreadFailures failures = new ThreadFailures("the node"); // of one thread
  private final Nursery nursery =
      Nursery.open(
          NurseryOptions.named("node")
              .withPolicy(ErrorPolicy.SUPERVISE)
              .withOnError(this::childFailed));

  private volatile @Nullable StoreException stopped; // null until a thread of the node has failed
  private volatile Life life; // replaced by the thread that changes ownership
  private volatile Supplier<Set<ProgramHash>> programs = Set::of; // written by the engine's thread
  private volatile boolean isRetired; // written by the engine's thread
  private volatile boolean hasGivenUp; // written by the thread that stops the engine

  private ClusterStore(DataSource source, PostgresOptions options) {
    this.source = source;
    this.options = options;
    this.life = begin();
    this.outbox =
        new Outbox(life.member.inbox, life.member.node.connections(), options.replyTime());
    nursery.launch(daemon("store-outbox"), _ -> outbox.runSender());
    nursery.launch(daemon("store-replies"), _ -> outbox.runPoller());
  }

  static ClusterStore join(DataSource source, PostgresOptions options) {
    return new ClusterStore(source, options);
  }

  /// A thread of the node has ended: nothing more is committed, and so the engine stops.
  private void childFailed(ChildError child) {
    LOG.log(System.Logger.Level.ERROR, child.child() + " failed", child.error());
    stopped = new StoreException(child.child() + " failed: " + child.error(), child.error());
  }

  private static ChildOptions daemon(String name) {
    return ChildOptions.named(name).withThread(ThreadKind.PLATFORM_DAEMON);
  }

  /// Joins and keeps the node alive from now on.
  private Life begin() {
    ClusterMember member = new ClusterMember(source, options, nursery, () -> !isRetired);
    SuspectBatches suspects = new SuspectBatches(member.node, new SqlText(options.schema()));
    SlotChanges changes = new SlotChanges(member.node, suspects);
    NodeLoop loop = new NodeLoop(member, changes, closing, options.lease());
    loop.showPrograms(() -> programs.get());
    nursery.launch(daemon("store-heartbeat-" + member.node.id()), _ -> loop.run());
    return new Life(member, loop, changes, suspects);
  }

  @Override
  public void serve(SlotOwner owner) {
    nursery.launch(daemon("store-ownership"), _ -> serveAll(owner));
  }

  /// Serves the engine through all lives of the node.
  private void serveAll(SlotOwner owner) throws InterruptedException {
    while (!isRetired) {
      try {
        serve(life, owner);
      } catch (RuntimeException | Error e) { // the node would own nothing any more
        failures.report(e);
        closing.await(REJOIN_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void serve(Life current, SlotOwner owner) throws InterruptedException {
    current.loop.serve(owner);
    nursery.launch(daemon("store-suspects-" + node()), _ -> current.suspects.run(owner));
    current.changes.run(owner);
    current.suspects.stop();
    current.loop.serve(null);
    if (!isRetired) {
      end(current.member);
      rejoin();
    }
  }

  private void rejoin() throws InterruptedException {
    while (!isRetired) {
      try {
        life = begin();
        if (hasGivenUp) {
          life.loop.surrender();
        }
        LOG.log(System.Logger.Level.INFO, "joined again as node {0}", node());
        return;
      } catch (StoreException e) {
        LOG.log(System.Logger.Level.WARNING, "cannot join again at the moment: {0}", e.toString());
        closing.await(REJOIN_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private static void end(ClusterMember member) {
    member.commits.close();
    member.hints.close();
    member.node.close();
  }

  @Override
  public void leaveSlots() throws InterruptedException {
    life.changes.leave(LEAVE_MAX);
  }

  @Override
  public void giveUp() {
    hasGivenUp = true;
    retire();
    life.loop.surrender();
  }

  @Override
  public void retire() {
    isRetired = true;
    Life current = life;
    current.loop.serve(null);
    current.changes.retire();
    current.suspects.stop();
    current.member.commits.hurry(AWAY_AT_CLOSE);
  }

  @Override
  public int node() {
    return life.member.node.id();
  }

  @Override
  public boolean owns(String caseId) {
    return life.member.node.owns(caseId);
  }

  @Override
  public Duration replyTime() {
    return options.replyTime();
  }

  @Override
  public boolean mayWork() {
    return life.member.node.mayWork();
  }

  @Override
  public boolean isFenced() {
    return life.member.node.isFenced();
  }

  @Override
  public long millis() {
    return life.member.node.millis();
  }

  @Override
  public long nanosUntil(long millis) {
    return life.member.node.nanosUntil(millis);
  }

  @Override
  public CompletableFuture<MessageReply> send(CaseMessage message) {
    requireOpen();
    return outbox.send(message);
  }

  @Override
  public CompletableFuture<Void> awaitEnd(String caseId) {
    requireOpen();
    return outbox.awaitEnd(caseId);
  }

  private static final String CLAIM =
      "insert into @.key_claims as k (type, key, case_id, effect, node) values (?, ?, ?, ?, ?)"
          + " on conflict (type, key) do update set case_id = excluded.case_id,"
          + " effect = excluded.effect, node = excluded.node"
          + " where (k.case_id = excluded.case_id and k.effect = excluded.effect)"
          + " or not exists (select 1 from @.node n where n.id = k.node and not n.fenced)"
          + " or not exists (select 1 from @.intents i"
          + " where i.case_id = k.case_id and i.effect = k.effect) returning 1";

  @Override
  public CaseChanges changes() {
    return new PostgresChanges(this::reads);
  }

  @Override
  public TaskClaims claims() {
    return new PostgresClaims(this::reads);
  }

  @Override
  public boolean claim(String type, String key, String caseId, long effect) {
    return !reads().query(CLAIM, _ -> true, type, key, caseId, effect, node()).isEmpty();
  }

  @Override
  public void unclaim(String type, String key, String caseId, long effect) {
    reads()
        .query(
            "delete from @.key_claims where type = ? and key = ? and case_id = ? and effect = ?"
                + " returning 1",
            _ -> true,
            type,
            key,
            caseId,
            effect);
  }

  @Override
  public List<PermitAnswer> borrow(List<PermitNeed> needs) {
    return new PermitRows(life.member.node, new SqlText(options.schema())).borrow(needs);
  }

  @Override
  public int begin(RateNeed need) {
    return new PermitRows(life.member.node, new SqlText(options.schema())).begin(need);
  }

  @Override
  public CompletableFuture<Void> replace(
      String kind, String key, long version, Optional<TableRow> expected, List<RowChange> changes) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    requireOpen();
    RowReplacement.Name name = new RowReplacement.Name(kind, key, version);
    RowReplacement replacement =
        new RowReplacement(
            life.member.node.connections(),
            new SqlText(options.schema()),
            options.replyTime(),
            () -> !isClosed.get());
    nursery.launch(
        ChildOptions.named("store-row").withThread(ThreadKind.VIRTUAL),
        _ -> {
          try {
            replacement.run(name, expected, changes);
            done.complete(null);
          } catch (RuntimeException e) { // the waiting caller receives it
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  @Override
  public void hold(CaseMessage message, String why) {
    ClusterMember member = life.member;
    String text = "node " + member.node.id() + ": " + why;
    PolledMessages.Key key = new PolledMessages.Key(message.caseId(), message.messageId());
    HeldMessages.Pause pause = held.hold(key, text);
    if (pause.isNew()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "case {0}: message {1} waits: {2}",
          message.caseId(),
          message.messageId(),
          text);
    }
    try (Connection connection = member.node.connections().take()) {
      member.inbox.hold(connection, key, text, pause.seconds());
    } catch (SQLException e) {
      LOG.log(System.Logger.Level.DEBUG, "message {0} is tried again at once: {1}", key, e);
    }
    life.loop.redeliver(message); // polls pass over it; it may be let go before the next poll
  }

  @Override
  public void retryHeld() {
    ClusterMember member = life.member;
    held.clear();
    try (Connection connection = member.node.connections().take()) {
      member.inbox.retryHeld(connection, member.node.id());
      member.inbox.wake(connection);
    } catch (SQLException e) {
      LOG.log(System.Logger.Level.DEBUG, "messages that are held are tried again later", e);
    }
  }

  @Override
  public void showPrograms(Supplier<Set<ProgramHash>> known) {
    programs = known;
  }

  @Override
  public void redeliver(CaseMessage message) {
    life.loop.redeliver(message);
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    return commitAll(List.of(batch)).getFirst();
  }

  @Override
  public List<CompletableFuture<Void>> commitAll(List<CommitBatch> batches) {
    StoreException why = stopped;
    if (why != null) {
      return Collections.nCopies(batches.size(), CompletableFuture.failedFuture(why));
    }
    Life current = life;
    List<CompletableFuture<Void>> done = current.member.commits.commitAll(batches);
    for (int i = 0; i < batches.size(); i++) {
      List<AppliedMessage> applied = batches.get(i).applied();
      if (!applied.isEmpty()) {
        var _ = done.get(i).thenRun(() -> current.loop.applied(applied));
      }
    }
    return done;
  }

  @Override
  public boolean joinsTransactions() {
    return true;
  }

  @Override
  public EffectTransaction begin(EffectCall call) {
    return life.member.joined.begin(call);
  }

  @Override
  public JoinOutcome commit(CommitBatch batch, EffectTransaction transaction) {
    return life.member.joined.commit(batch, transaction);
  }

  /// Grows with every change of ownership, so that a later owner of a case has a larger one.
  @Override
  public long epoch() {
    return life.member.node.state().ownership();
  }

  @Override
  public void moving(int shard, String caseId) {
    // Cases of a node that died are resumed in batches, see SuspectBatches.
  }

  @Override
  public List<String> suspects() {
    return List.of();
  }

  @Override
  PostgresReads reads() {
    return life.member.reads;
  }

  @Override
  void requireOpen() {
    if (isClosed.get()) {
      throw new StoreException("the store is closed");
    }
  }

  private void leave(PostgresNode node) {
    try {
      node.leave();
    } catch (SQLException | StoreException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node {0} could not leave; its slots are taken over after its lease: {1}",
          node.id(),
          e);
    }
  }

  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    retire();
    Life last = life;
    last.member.commits.close();
    closing.countDown();
    outbox.close();
    nursery.seal();
    nursery.close();
    outbox.release();
    last.member.hints.close();
    leave(last.member.node);
    last.member.node.close();
  }
}
