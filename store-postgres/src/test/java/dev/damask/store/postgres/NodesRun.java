package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.database.Network;
import dev.damask.database.VirtualDatabase;
import dev.damask.process.Interposed;
import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import dev.damask.simulation.Choices;
import dev.damask.simulation.InvariantViolation;
import dev.damask.store.StoreException;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One run: several engines on the virtual database, with faults; then everything heals, and every
/// case must come to its end. The classes must be loaded by a `VirtualLoader`.
@SuppressWarnings("exports") // the simulator is a test dependency
public final class NodesRun implements Network {
  static final Duration LEASE = Duration.ofMillis(900);
  private static final int FAULTS_END_MILLIS = 8_000;
  private static final int LIVELY_MILLIS = 30_000;
  private static final int LOCK_CLASS = 77;
  private static final int SLOW_MILLIS = 300;
  private static final int GRACE_MILLIS = 2_000;

  final VirtualHost host;
  final NodesPlan plan;
  private final VirtualDatabase database;
  final NodesInvariants invariants;
  private final NodesWorld world;
  private final PostgresOptions options;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final Map<VirtualProcess, SimulatedNode> byProcess = new HashMap<>();
  private final List<NodesClient> clients = new ArrayList<>();
  private final Map<NodesPlan.Work, WorkflowDefinition> workflows = workflows();
  private int opened;
  private boolean isHealed;
  private boolean isOver;
  private @Nullable InvariantViolation violation; // the first one

  private static @Nullable NodesRun current; // for mutants

  static NodesRun current() {
    return Objects.requireNonNull(current);
  }

  /// Returns when a message was sent, in a form that sorts.
  String sent(dev.damask.cluster.PolledMessages.Key key) {
    return database.rows("damask.inbox", "message_id", key.messageId()).stream()
        .filter(row -> row.text("case_id").equals(key.caseId()))
        .map(row -> row.text("sent"))
        .findFirst()
        .orElse("");
  }

  /// Returns a connection of the node whose thread runs.
  java.sql.Connection connection() throws java.sql.SQLException {
    return Objects.requireNonNull(byProcess.get(host.running())).source.getConnection();
  }

  private NodesRun(long seed, NodesPlan plan) {
    this.host = VirtualHost.create(seed);
    current = this;
    this.plan = plan;
    this.database = new VirtualDatabase(host, host.process("database"));
    this.invariants = new NodesInvariants(database, this::violated, this::isWell);
    this.world = new NodesWorld(host, database, this::violated);
    this.options =
        PostgresOptions.DEFAULT
            .withLease(LEASE)
            .withNanoTime(Interposed::nanoTime)
            .withReplyTime(Duration.ofSeconds(2));
    if (plan.hasStandby()) {
      database.addStandby(() -> 100_000 + host.below(2_000_000));
    }
    if (plan.isRepeatable()) {
      database.configure("default_transaction_isolation", "repeatable read");
    }
  }

  /// Runs a plan and returns the violation, the hash of the run and, if it is wanted, its log.
  ///
  /// @param choices determine the plan
  /// @param scripts the scripts of the schema
  public static List<String> run(long seed, int[] choices, List<String> scripts, boolean isLogged) {
    NodesRun run = new NodesRun(seed, NodesPlan.of(Choices.of(choices)));
    if (isLogged) {
      run.host.keepLog();
    }
    String found = "";
    try {
      run.play(scripts);
    } catch (InvariantViolation e) {
      found = String.valueOf(e.getMessage());
    } finally {
      run.isOver = true;
      run.host.stop();
    }
    return List.of(
        found, String.valueOf(run.host.hash()), String.valueOf(run.host.steps()), run.host.log());
  }

  /// Returns the choices of a seed.
  public static int[] choices(long seed) {
    Choices choices = Choices.of(seed);
    NodesPlan.of(choices);
    return choices.taken();
  }

  /// Describes a plan.
  public static String describe(int[] choices) {
    return NodesPlan.of(Choices.of(choices)).toString();
  }

  static long nanos(long millis) {
    return millis * 1_000_000;
  }

  private static Map<NodesPlan.Work, WorkflowDefinition> workflows() {
    Map<NodesPlan.Work, WorkflowDefinition> made = new EnumMap<>(NodesPlan.Work.class);
    made.put(
        NodesPlan.Work.ORDER,
        workflow(
            "order",
            effect("pay"),
            defer(on("go", effect("ship").delivery(Delivery.AT_MOST_ONCE)))));
    WorkflowDefinition count =
        workflow(
            "count",
            repeat(
                NodesClient.ADDITIONS,
                defer(
                    on("go", task("add", c -> c.with("seen", c.get("seen") + "," + c.get("m")))))));
    made.put(NodesPlan.Work.COUNT, count);
    made.put(NodesPlan.Work.ANONYMOUS, count);
    made.put(NodesPlan.Work.BURST, count);
    made.put(
        NodesPlan.Work.TIMER,
        workflow("timer", seq(defer(after(Duration.ofMillis(700), skip())), effect("pay"))));
    made.put(
        NodesPlan.Work.SHARED_KEY,
        workflow("same", effect("pay").key(Expression.named("key", _ -> "the key"))));
    return made;
  }

  WorkflowDefinition definition(NodesPlan.Work work) {
    return Objects.requireNonNull(workflows.get(work));
  }

  void violated(InvariantViolation found) {
    if (violation == null) {
      host.note("violated: " + found.getMessage());
      violation = found;
    }
  }

  boolean isOver() {
    return isOver;
  }

  private void until(long millis, java.util.function.BooleanSupplier isDone) {
    host.run(
        nanos(millis),
        () ->
            violation != null
                || host.isSpinning()
                || !database.gap().isEmpty()
                || isDone.getAsBoolean());
    if (!database.gap().isEmpty()) {
      throw new IllegalStateException(database.gap());
    }
    if (host.isSpinning()) {
      throw new InvariantViolation("I15", "a thread spins");
    }
    if (violation != null) {
      throw violation;
    }
  }

  private void play(List<String> scripts) {
    boolean[] isReady = {false};
    VirtualProcess admin = host.process("admin");
    admin.start(
        "init",
        () ->
            isReady[0] =
                new PostgresSchema(database.source(admin, this), options, scripts, () -> LOCK_CLASS)
                    .init());
    until(1_000, () -> isReady[0]);
    if (!isReady[0]) {
      throw new IllegalStateException("the schema was not created");
    }
    for (int i = 0; i < plan.nodes(); i++) {
      open();
    }
    for (NodesPlan.Job job : plan.jobs()) {
      NodesClient client = new NodesClient(this, job, clients.size());
      clients.add(client);
      client.begin();
    }
    for (NodesPlan.Fault fault : plan.faults()) {
      host.later(nanos(fault.atMillis()), () -> happen(fault));
    }
    until(FAULTS_END_MILLIS, () -> false);
    heal();
    long end = host.nanos() / 1_000_000 + LIVELY_MILLIS;
    until(end, this::isSettled);
    judge();
  }

  private boolean isSettled() {
    return clients.stream().allMatch(NodesClient::isDone)
        && invariants.inbox().isEmpty()
        && invariants.orphans(living()).isEmpty();
  }

  private Set<String> living() {
    Set<String> living = new HashSet<>();
    for (SimulatedNode node : nodes) {
      if (node.process.isAlive() && node.engine != null) {
        living.add(node.process.name());
      }
    }
    return living;
  }

  private void judge() {
    String orphans = invariants.orphans(living());
    if (!orphans.isEmpty()) {
      throw new InvariantViolation("N4", orphans + " long after the last fault");
    }
    for (NodesClient client : clients) {
      if (!client.isDone()) {
        throw new InvariantViolation(
            "I16",
            client.caseId
                + " has not ended after the heal; stored: "
                + invariants.stored(client.caseId));
      }
      client.judge();
    }
    if (database.deadlocks() > 0) {
      throw new InvariantViolation("N6", "the database had to resolve a deadlock");
    }
    if (!invariants.inbox().isEmpty()) {
      throw new InvariantViolation("N2", "messages wait: " + invariants.inbox());
    }
    if (violation != null) {
      throw violation;
    }
    verify();
  }

  private void verify() {
    List<String> problems = new ArrayList<>();
    boolean[] isDone = {false};
    SimulatedNode node = Objects.requireNonNull(anyNode());
    Engine engine = Objects.requireNonNull(node.engine);
    node.process.start(
        "verify",
        () -> {
          problems.addAll(engine.verify());
          isDone[0] = true;
        });
    until(host.nanos() / 1_000_000 + LIVELY_MILLIS, () -> isDone[0]);
    if (!problems.isEmpty() || !isDone[0]) {
      throw new InvariantViolation("G5", problems.toString());
    }
  }

  // Nodes.

  private SimulatedNode open() {
    VirtualProcess process = host.process("node-" + ++opened);
    SimulatedNode node = new SimulatedNode(process, database.source(process, this));
    nodes.add(node);
    byProcess.put(process, node);
    process.start("main", () -> join(node));
    return node;
  }

  /// Opens the engine, as a service does that is started again until it runs.
  private void join(SimulatedNode node) {
    EngineOptions engine =
        EngineOptions.defaults()
            .withShards(plan.shards())
            .withGrace(Duration.ofMillis(GRACE_MILLIS))
            .withHandler("pay", call -> world.perform(node.process, call))
            .withHandler("ship", call -> world.perform(node.process, call));
    PostgresCluster cluster =
        PostgresCluster.of(node.source, options.withAddress(node.process.name()));
    while (node.engine == null) {
      try {
        node.engine =
            Engine.open(
                engine,
                cluster,
                workflows.values().stream().distinct().toArray(WorkflowDefinition[]::new));
        host.note(node.process + " has joined");
      } catch (StoreException e) {
        host.detail("cannot join: " + e);
        Interposed.parkNanos(nanos(200));
      }
    }
  }

  /// Returns an open node; null if there is none.
  @Nullable SimulatedNode anyNode() {
    List<SimulatedNode> open = open(SimulatedNode::isOpenAndStays);
    return open.isEmpty() ? null : open.get(host.below(open.size()));
  }

  private List<SimulatedNode> open(java.util.function.Predicate<SimulatedNode> which) {
    return nodes.stream().filter(which).toList();
  }

  /// Returns whether the node at an address was open and had no fault of its own for a while.
  private boolean isWell(String address) {
    return nodes.stream()
        .anyMatch(node ->
            node.process.name().equals(address)
                && node.isOpenAndStays()
                && node.disturbedUntil < host.nanos());
  }

  private void kill(SimulatedNode node) {
    node.process.kill();
    node.source.close();
    nodes.remove(node);
  }

  private void leave(SimulatedNode node, int millis) {
    node.isLeaving = true;
    Engine engine = Objects.requireNonNull(node.engine);
    node.process.start(
        "leave",
        () -> {
          engine.close();
          host.note(node.process + " has left");
          node.engine = null;
          host.later(0, () -> kill(node));
        });
    host.later(nanos(millis), this::open);
  }

  /// Kills a node that has given its slots away and still finishes its calls.
  private void dieLeaving(SimulatedNode node) {
    if (node.process.isAlive() && node.engine != null) {
      host.note(node.process + " dies while it leaves");
      kill(node);
    }
  }

  // Faults.

  private void happen(NodesPlan.Fault fault) {
    if (isHealed) {
      return;
    }
    host.note(fault.toString());
    switch (fault.kind()) {
      case CRASH_DATABASE, FAIL_OVER -> stopDatabase(fault);
      case JUMP_DATABASE -> database.process().jumpWall(nanos(fault.millis() * 50L - 1_000));
      case STANDBY_AWAY -> {
        database.setStandbyAway(true);
        host.later(nanos(fault.millis()), () -> database.setStandbyAway(false));
      }
      case JOIN -> open();
      default -> {
        List<SimulatedNode> open = open(SimulatedNode::isOpenAndStays);
        if (!open.isEmpty()) {
          happen(fault, open.get(fault.node() % open.size()));
        }
      }
    }
  }

  private void happen(NodesPlan.Fault fault, SimulatedNode node) {
    long length = nanos(fault.millis());
    if (!fault.kind().isHarmless()) {
      node.disturbedUntil =
          Math.max(node.disturbedUntil, host.nanos() + length + 3 * LEASE.toNanos());
    }
    switch (fault.kind()) {
      case KILL -> {
        kill(node);
        host.later(length, this::open);
      }
      case CUT_AT_COMMIT -> {
        node.disturbedUntil = Long.MAX_VALUE; // at an unknown time
        node.source.cutAtCommit(() -> {});
      }
      case CUT_AND_STALL -> {
        node.disturbedUntil = Long.MAX_VALUE;
        node.source.cutAtCommit(() -> node.stalledUntil = isHealed ? 0 : host.nanos() + length);
      }
      case PAUSE -> {
        node.process.pause();
        host.later(length, node.process::resume);
      }
      case STALL -> node.stalledUntil = host.nanos() + length;
      case SLOW -> slow(node, length, SLOW_MILLIS);
      case ZOMBIE -> {
        node.disturbedUntil = Long.MAX_VALUE; // at an unknown time
        node.source.beforeSharedLock(() -> zombie(node, length));
      }
      case CUT_ONE -> node.source.cut(false);
      case CUT_ALL -> node.source.cut(true);
      case LEAVE -> leave(node, fault.millis());
      case DIE_LEAVING -> {
        leave(node, fault.millis());
        host.later(nanos(fault.millis() % GRACE_MILLIS), () -> dieLeaving(node));
      }
      case JUMP_WALL -> node.process.jumpWall(nanos(fault.millis() * 1_000L - 2_000_000));
      case SUSPEND -> node.process.jump(length);
      default -> throw new IllegalStateException("not a fault of a node: " + fault);
    }
  }

  /// Cuts a node off when it begins a commit, and makes the transactions of its takers long.
  private void zombie(SimulatedNode node, long length) {
    if (isHealed) {
      return;
    }
    host.note(node.process + " is cut off in a commit");
    node.stalledUntil = host.nanos() + LEASE.toNanos() + length / 2;
    for (SimulatedNode other : nodes) {
      if (other != node) {
        other.disturbedUntil = host.nanos() + length + 3 * LEASE.toNanos();
        slow(other, LEASE.toNanos() + length, SLOW_MILLIS / 5); // its polls stay in time
      }
    }
  }

  private void slow(SimulatedNode node, long nanos, int millis) {
    node.slowUntil = host.nanos() + nanos;
    node.slowMillis = millis;
  }

  private void stopDatabase(NodesPlan.Fault fault) {
    if (!database.isUp()) {
      return;
    }
    if (fault.kind() == NodesPlan.Kind.FAIL_OVER) {
      database.failOver();
      invariants.failedOver();
    } else {
      database.crash();
      invariants.failedOver(); // counters may go back; revisions are checked by their readers
    }
    host.later(nanos(fault.millis() / 2), database::start);
  }

  private void heal() {
    host.note("heal");
    isHealed = true;
    database.setStandbyAway(false);
    for (SimulatedNode node : nodes) {
      node.process.resume();
      node.stalledUntil = 0;
      node.slowUntil = 0;
    }
  }

  @Override
  public long delay(VirtualProcess client) {
    SimulatedNode node = byProcess.get(client);
    return node != null && node.slowUntil > host.nanos()
        ? nanos(host.below(node.slowMillis))
        : 20_000 + host.below(300_000);
  }

  @Override
  public long stalledUntil(VirtualProcess client) {
    SimulatedNode node = byProcess.get(client);
    return node == null ? 0 : node.stalledUntil;
  }
}
