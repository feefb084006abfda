package dev.damask.session;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.check.Nearest;
import dev.damask.clock.EngineClock;
import dev.damask.cluster.SharedStore;
import dev.damask.event.ProcessView;
import dev.damask.exec.ExecState;
import dev.damask.graph.GraphDocument;
import dev.damask.registry.Registry;
import dev.damask.registry.RegistryEntry;
import dev.damask.rule.RuleSource;
import dev.damask.source.Address;
import dev.damask.source.Hash;
import dev.damask.step.Lowering;
import dev.damask.step.StepParts;
import dev.damask.step.StepRun;
import dev.damask.step.StepScope;
import dev.damask.step.StepTask;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import dev.damask.value.ContextEdit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Runs orchestrations: sessions of graphs in a store.
///
/// A session is a case of the engine. Unless stated otherwise, a method returns after its result is
/// durable, and a session resumes after a crash from its last commit. Secrets are kept in memory
/// only and must be provided again after a restart. Every method may be called from any thread.
public final class Sessions implements AutoCloseable {
  /// How many processes that have ended a view has unless its caller asks for another number.
  public static final int ENDED_SHOWN = 1_000;

  private static final long LOOK_MILLIS_MAX = 50;

  private final Store store;
  private final Engine engine;
  private final EngineClock clock;
  private final Registry registry;
  private final SecretStore secretStore;
  private final StepParts parts;
  private final SessionReader reader;
  private final SessionControl control;
  private final int window;

  /// A graph that sessions are or may be pinned to, and what it was lowered to.
  private record Pinned(GraphDocument document, String hash, WorkflowDefinition workflow) {}

  /// By the hash of the graph.
  private final Map<String, Pinned> graphs = new ConcurrentHashMap<>();

  private final SessionRows rows;
  private final SessionStates states = new SessionStates();

  private Sessions(SessionOptions options, Store store, SessionPorts ports) {
    this.store = store;
    this.clock = options.engine().clock();
    this.rows = new SessionRows(store);
    this.registry = Registry.open(store, clock::millis);
    this.secretStore = new SecretStore(options.secrets());
    this.parts =
        new StepParts(
            new RuleSource.Cache(new RegistryRules(registry)),
            secretStore,
            ports.observer()::begins);
    List<WorkflowDefinition> known = new ArrayList<>();
    for (RegistryEntry entry : registry.graphVersions()) {
      Pinned pinned = pin(entry);
      graphs.put(entry.hash(), pinned);
      known.add(pinned.workflow());
    }
    rows.convert(states);
    StepEffects effects = new StepEffects(parts.rules(), secretStore, options, ports);
    EngineOptions engineOptions =
        options
            .engine()
            .withTrace(
                options.engine().traceLevel() == TraceLevel.FULL ? TraceLevel.FULL : TraceLevel.MIN)
            .withTraceRows(new ProcessRows(store))
            .withHandler(StepRun.READ, effects::read)
            .withHandler(StepRun.API, effects::call)
            .withHandler(StepRun.EXECUTE, effects::execute)
            .withHandler(StepRun.WAKE, call -> wakeUps().send(call))
            .withHandler(
                StepTask.SECRETS,
                call -> {
                  secretStore.await(call.context());
                  return null;
                });
    this.engine = Engine.open(engineOptions, store, known.toArray(WorkflowDefinition[]::new));
    this.window = options.window();
    this.reader = new SessionReader(engine, store, states);
    this.control = new SessionControl(engine, reader);
    registry.whenOthersChange(this::known);
    engine.watchOthers(registry::poll);
  }

  /// Another node has put a graph: this one must be able to run its sessions.
  private void known(RegistryEntry graph) {
    Pinned pinned = graphs.computeIfAbsent(graph.hash(), _ -> pin(graph));
    engine.register(pinned.workflow());
  }

  /// Opens sessions on a new store in memory, which is lost when they are closed.
  public static Sessions open(SessionOptions options) {
    return open(options, new MemoryStore());
  }

  /// Opens sessions on a store in a directory. The directory is created if it does not exist.
  public static Sessions open(SessionOptions options, Path folder) {
    StoreProvider provider =
        ServiceLoader.load(StoreProvider.class)
            .findFirst()
            .orElseThrow(() ->
                new IllegalStateException(
                    "no store for directories was found; add damask-store-rocksdb to the module"
                        + " path"));
    return open(options, provider.open(folder));
  }

  /// Opens sessions on a store. Closing the sessions closes the store.
  public static Sessions open(SessionOptions options, Store store) {
    return open(options, store, SessionPorts.REAL);
  }

  /// Opens sessions on a store with replaced surroundings, for test plans.
  public static Sessions open(SessionOptions options, Store store, SessionPorts ports) {
    Sessions sessions = new Sessions(options, store, ports);
    sessions.engine.attach(Sessions.class, sessions);
    return sessions;
  }

  /// Returns the registry of graphs and rules.
  public Registry registry() {
    return registry;
  }

  /// Returns queries about more than one session.
  public SessionQueries queries() {
    return new SessionQueries(this, store, reader, parts.rules());
  }

  private WakeUps wakeUps() {
    return new WakeUps(store, control, this::spelled);
  }

  /// The key as the store spells it.
  private SessionKey spelled(SessionKey key) {
    return SessionKey.of(rows.spelled(key.owner()), key.number());
  }

  /// The callers that may wake a session's steps.
  WakeUpList allowList(SessionKey key) {
    return control.allowList(spelled(key));
  }

  /// The graph a session is pinned to; empty when this registry never had it.
  Optional<GraphDocument> graph(String hash) {
    return Optional.ofNullable(graphs.get(hash)).map(Pinned::document);
  }

  /// Returns the engine that runs the sessions as cases.
  public Engine engine() {
    return engine;
  }

  /// Starts a session and returns its key. The session is durable when this method returns. Throws
  /// `IllegalArgumentException` if the graph or the step does not exist, `IllegalStateException` if
  /// the caller may not start the graph or a pinned hash or number differs. No session is created
  /// then.
  public SessionKey start(SessionStart start) {
    try {
      return startAsync(start).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    }
  }

  /// Starts a session as [#start] does, without blocking. Completes when the session is durable.
  public CompletableFuture<SessionKey> startAsync(SessionStart start) {
    registry.refresh(RegistryEntry.Kind.GRAPH, start.graph());
    RegistryEntry entry =
        registry
            .find(RegistryEntry.Kind.GRAPH, start.graph())
            .orElseThrow(
                () -> new IllegalArgumentException("there is no graph '" + start.graph() + "'"));
    if (!entry.mayStart(start.caller())) {
      throw new IllegalStateException(
          start.caller() + " is neither the owner nor an executor of graph " + start.graph());
    }
    String pinned = start.graphHash();
    if (pinned != null && !(Hash.isHash(pinned) && Hash.same(pinned, entry.hash()))) {
      throw new IllegalStateException(
          "the graph is pinned to " + pinned + ", but the registry has " + entry.hash());
    }
    Pinned graph = graphs.computeIfAbsent(entry.hash(), hash -> pin(entry));
    if (!graph.document().steps().containsKey(start.step())) {
      throw new IllegalArgumentException("the graph has no step '" + start.step() + "'");
    }
    synchronized (this) {
      String owner = rows.spelled(start.owner());
      long next = rows.next(owner);
      if (start.number() != 0 && start.number() != next) {
        throw new IllegalStateException(
            "the next session of " + owner + " is " + next + ", not " + start.number());
      }
      SessionKey key = SessionKey.of(owner, next);
      Map<String, String> secrets = secrets(start);
      Context context = context(start, key, secrets);
      if (!isShared()) {
        secretStore.put(key.caseId(), secrets); // the first step finds them
      }
      return started(graph, key, context)
          .thenCompose(reply -> {
            if (reply.isNew()) {
              if (isShared()) { // not before: a session of another node could have the number
                secretStore.put(key.caseId(), secrets);
              }
              return CompletableFuture.completedFuture(key);
            }
            if (start.number() != 0 || !isShared()) {
              throw new IllegalStateException("session " + key + " already exists");
            }
            return startAsync(start); // another node assigned the number at the same time
          });
    }
  }

  /// Starts the case of a session. A start that fails leaves no secrets: the next session may get
  /// the same number.
  private CompletableFuture<StartReply> started(Pinned graph, SessionKey key, Context context) {
    CompletableFuture<StartReply> started;
    try {
      started =
          engine.startAsync(
              graph.workflow(),
              key.caseId(),
              context,
              CaseOptions.DEFAULT,
              SessionRows.rows(key, clock.millis()));
    } catch (RuntimeException e) {
      notStarted(key);
      throw e;
    }
    rows.given(key);
    return started.whenComplete((reply, thrown) -> {
      if (thrown != null || !reply.isNew()) {
        notStarted(key);
      }
    });
  }

  private void notStarted(SessionKey key) {
    if (!isShared()) {
      secretStore.forget(key.caseId());
    }
  }

  /// Whether other nodes start sessions, too.
  private boolean isShared() {
    return store instanceof SharedStore;
  }

  private Pinned pin(RegistryEntry entry) {
    GraphDocument document = GraphDocument.read(entry.text());
    WorkflowDefinition workflow = Lowering.workflow(document, parts);
    states.add(workflow, new LogLine.Graph(document.id(), entry.hash()));
    return new Pinned(document, entry.hash(), workflow);
  }

  private static Map<String, String> secrets(SessionStart start) {
    Map<String, String> secrets = new TreeMap<>();
    start
        .payload()
        .forEach((name, value) -> {
          if (SecretStore.isSecret(name)) {
            secrets.put(name, SecretStore.require(name, value));
          }
        });
    return secrets;
  }

  private Context context(SessionStart start, SessionKey key, Map<String, String> secrets) {
    Context context = Context.empty();
    for (Map.Entry<String, ? extends @Nullable Object> entry : start.payload().entrySet()) {
      String name = entry.getKey();
      if (SecretStore.isSecret(name)) {
        continue;
      }
      if (name.startsWith(StepNode.RESERVED) && !name.equals(StepScope.WAKE_UP)) {
        throw new IllegalArgumentException("the key " + name + " is reserved for the engine");
      }
      context = context.with(name, entry.getValue());
    }
    if (!secrets.isEmpty()) {
      context = context.with(SecretStore.NEEDED, List.copyOf(secrets.keySet()));
    }
    ContextEdit edit =
        context
            .edit()
            .put(StepScope.SESSION, key.number())
            .put(StepScope.OWNER, key.owner())
            .put(StepNode.ENTRY, start.step());
    if (window != 0) {
      edit.put(StepNode.WINDOW, (long) window);
    }
    if (start.costMax() != 0) {
      edit.put(StepNode.COST_MAX, start.costMax());
    }
    return edit.done();
  }

  /// Returns the number of the next session of an owner. Numbers are never reused.
  public long nextNumber(String owner) {
    return rows.next(rows.spelled(owner));
  }

  /// Provides the secrets of a session again after a restart; processes that wait for them
  /// continue. Throws `IllegalArgumentException` if a name or a value is not that of a secret.
  public void provide(SessionKey key, Map<String, String> secrets) {
    secrets.forEach((name, value) -> {
      if (!SecretStore.isSecret(name)) {
        throw new IllegalArgumentException(
            name + " is not the name of a secret; names begin with __secret");
      }
      SecretStore.require(name, value);
    });
    secretStore.put(spelled(key).caseId(), secrets);
  }

  /// Returns a session at its last durable revision, with all open processes and the latest
  /// [#ENDED_SHOWN] that have ended. Throws `IllegalArgumentException` if it does not exist.
  public SessionView view(SessionKey key) {
    return view(key, ENDED_SHOWN);
  }

  /// Returns a session at its last durable revision. Throws `IllegalArgumentException` if it does
  /// not exist.
  ///
  /// @param endedMost how many of the processes that have ended the view has at most; the latest
  public SessionView view(SessionKey key, int endedMost) {
    return reader.view(spelled(key), endedMost);
  }

  /// Returns processes of a session, the latest first. Throws `IllegalArgumentException` if it does
  /// not exist.
  ///
  /// @param before only processes with a smaller iteration; 0 for the first page
  /// @param most the maximum number of processes
  public List<ProcessInstance> processes(SessionKey key, long before, int most) {
    return reader.processes(spelled(key)).processes(before, most);
  }

  /// Returns sessions, the latest first. They are read from an index and stay out of memory.
  ///
  /// @param owner null for the sessions of all owners
  public List<SessionKey> list(@Nullable String owner, int most) {
    return owner == null ? rows.list(most) : rows.list(rows.spelled(owner), most);
  }

  /// Returns the log lines of a session that match a predicate, in order.
  public List<LogLine> log(SessionKey key, Predicate<LogLine> wanted) {
    return reader.log(spelled(key), wanted);
  }

  /// Returns the last log lines of a session, in order.
  public List<LogLine> lastLines(SessionKey key, int most) {
    return reader.lastLines(spelled(key), most);
  }

  /// Waits until a session has ended and returns its result; empty if that takes longer than
  /// `time`.
  public Optional<CaseResult<Context>> await(SessionKey key, Duration time)
      throws InterruptedException {
    String caseId = spelled(key).caseId();
    Optional<CaseResult<Context>> result = engine.await(caseId, time);
    result.ifPresent(ended -> secretStore.forget(caseId));
    return result;
  }

  /// Waits until a session has ended or is idle, and returns it; empty if that takes longer than
  /// `patience`.
  public Optional<SessionView> settled(SessionKey key, Duration patience)
      throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    for (long look = 1; System.nanoTime() < deadline; look = Math.min(look * 2, LOOK_MILLIS_MAX)) {
      boolean ended = await(key, Duration.ofMillis(look)).isPresent();
      SessionView view = reader.view(spelled(key), 0);
      // A process whose secrets the source knows is about to receive them.
      boolean isStill =
          view.isAtRest(clock.millis())
              && view.lacking().values().stream().noneMatch(all -> secretStore.finds(key, all));
      if (ended || isStill) {
        return Optional.of(view(key));
      }
    }
    return Optional.empty();
  }

  /// Wakes one waiting process and returns whether it was waiting. Throws `IllegalStateException`
  /// if the caller is not the owner of the session.
  public boolean wakeProcess(
      String caller,
      SessionKey session,
      long iteration,
      Map<String, ? extends @Nullable Object> payload) {
    SessionKey key = spelled(session);
    control.requireOwner(caller, key);
    return control.wake(key, Context.of("process", iteration), payload) > 0;
  }

  /// Wakes every process that waits at a step and returns their number. A caller other than the
  /// owner must be in the session's allow list, or `IllegalStateException` is thrown. Throws
  /// `IllegalArgumentException` if its graph has no such step.
  public int wakeStep(
      String caller,
      SessionKey session,
      String step,
      Map<String, ? extends @Nullable Object> payload) {
    SessionKey key = spelled(session);
    if (!Address.same(caller, key.owner()) && !control.allowList(key).allowsCall(step, caller)) {
      throw new IllegalStateException(caller + " may not wake step " + step + " of " + key);
    }
    requireStep(key, step);
    return control.wake(key, Context.of("step", step), payload);
  }

  private void requireStep(SessionKey key, String step) {
    graph(reader.graphHash(key))
        .map(graph -> graph.steps().keySet())
        .filter(steps -> !steps.contains(step))
        .ifPresent(steps -> {
          throw new IllegalArgumentException(
              "the graph of session %s has no step '%s', %s"
                  .formatted(key, step, Nearest.hint(step, steps)));
        });
  }

  /// Pauses the processes of a session that have not begun, until it is resumed.
  public void pause(String caller, SessionKey session) {
    SessionKey key = spelled(session);
    control.requireOwner(caller, key);
    control.send(key, "process.pause");
  }

  /// Resumes a paused session. Throws `IllegalStateException` if the caller is not the owner.
  public void resume(String caller, SessionKey session) {
    SessionKey key = spelled(session);
    control.requireOwner(caller, key);
    control.send(key, "process.resume");
  }

  /// Ends a session and returns the number of processes that were live.
  public int kill(String caller, SessionKey session) {
    SessionKey key = spelled(session);
    control.requireOwner(caller, key);
    ExecState state = reader.state(key.caseId());
    List<ProcessView> live = state == null ? List.of() : state.processes();
    engine.cancel(key.caseId());
    secretStore.forget(key.caseId());
    return live.size();
  }

  @Override
  public void close() {
    secretStore.close();
    engine.close();
  }
}
