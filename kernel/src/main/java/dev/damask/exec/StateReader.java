package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.exec.Frame.UndoEntry;
import dev.damask.exec.Invariant.Consistency;
import dev.damask.exec.StateCodec.ContextTable;
import dev.damask.exec.Token.Wait;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The reading half of [StateCodec]. It trusts nothing: every index is checked against the program
/// and against the tables read so far.
final class StateReader {
  private final Machine machine;
  private final Program program;
  private final Program.Pools pools;
  private final Decoder in;
  private final TreeMap<Integer, Frame> frames = new TreeMap<>();
  private final TreeMap<Integer, Token> tokens = new TreeMap<>();
  private final List<Queued> queues = new ArrayList<>();
  private final GroupReader groups;
  private final boolean isOld;
  private final boolean stamped;
  private List<Context> contexts;
  private long clock;

  /// A place in a queue whose token is read later.
  private record Queued(NetState.Arcs arcs, int arc, int token) {}

  StateReader(Machine machine, Decoder in, int version) {
    this(machine, in, version, List.of());
  }

  /// @param known the contexts, when they were read before; the bytes have none then
  StateReader(Machine machine, Decoder in, int version, List<Context> known) {
    this.machine = machine;
    this.contexts = known;
    this.program = machine.program;
    this.pools = program.pools();
    this.in = in;
    this.isOld = version == StateCodec.OLDEST;
    this.stamped = isOld ? pools.stamps() : pools.tracksWrites();
    this.groups = new GroupReader(in, pools, this::optional);
  }

  ExecState read() {
    contexts = contexts.isEmpty() ? ContextTable.read(in) : contexts;
    Status status = in.oneOf(Status.byNumber());
    long steps = in.natural();
    clock = in.whole();
    int lastId = in.below(Integer.MAX_VALUE);
    int lastWait = in.below(Integer.MAX_VALUE);
    Context result = optional();
    Failure failure = in.flag() ? StateTail.failure(in) : null;
    int frameCount = in.count();
    Frame root = null;
    for (int i = 0; i < frameCount; i++) {
      Frame frame = frame(i == 0);
      root = root == null ? frame : root;
    }
    ExecState state = new ExecState(program, root == null ? Context.empty() : root.entry, clock);
    state = root == null ? state : new ExecState(program, root, clock);
    state.status = status;
    state.steps = steps;
    state.lastId = lastId;
    state.lastWait = lastWait;
    state.result = result;
    state.failure = failure;
    readTokens(state);
    readPlaces(state);
    StateTail.read(in, state, tokens.values());
    index(state);
    if (state.executions == null) {
      ExecutionCounts.assume(machine, state);
    }
    if (root == null) {
      state.root.closed = true;
      state.root.delivered = status == Status.COMPLETED;
    }
    if (status.isEnded() != (root == null)) {
      throw in.damaged("a state is open if and only if it has frames");
    }
    Consistency.holds(state);
    return state;
  }

  private Frame frame(boolean isRoot) {
    int id = in.below(Integer.MAX_VALUE);
    int octet = in.octet();
    int flags = octet & (StateWriter.DELIVERED | StateWriter.UNDOING);
    Frame.Kind kind = in.oneOf(Frame.Kind.byNumber(), octet - flags);
    if (isRoot != (kind == Frame.Kind.CASE) || frames.containsKey(id)) {
      throw in.damaged("frame " + id + " is out of place");
    }
    Frame parent = null;
    int spec = 0;
    long lineage = 0;
    int node = -1;
    if (!isRoot) {
      parent = frames.get(in.below(Integer.MAX_VALUE));
      spec = in.below(Integer.MAX_VALUE);
      lineage = in.fixed();
      node = node(parent);
      requireFits(kind, parent, spec);
    }
    Frame frame = new Frame(id, kind, parent, spec, context(), lineage);
    frame.node = node;
    frame.delivered = (flags & StateWriter.DELIVERED) != 0;
    frame.entryStamps = stamps();
    frame.loops = loops();
    if ((flags & StateWriter.UNDOING) != 0) {
      frame.undoing = undoing();
    }
    switch (kind) {
      case REGION -> frame.scope = scope(pools.regions()[spec]);
      case CALL -> {
        frame.depth = in.below(Integer.MAX_VALUE);
        frame.returnAddress = behindCall(spec);
        if (pools.entries()[spec].localPlaces() > 0) {
          frame.places = new PlaceState[pools.entries()[spec].localPlaces()];
        }
      }
      case BLOCK -> frame.join = join(pools.forks()[spec]);
      case SET -> frame.set = set();
      case NET -> frame.net = net(pools.nets()[spec]);
      case GROUP -> frame.group = groups.read(frame);
      case CASE, BRANCH, INSTANCE -> {}
    }
    frames.put(id, frame);
    if (parent != null) {
      parent.attach(frame);
    }
    return frame;
  }

  private void requireFits(Frame.Kind kind, @Nullable Frame parent, int spec) {
    if (parent == null) {
      throw in.damaged("a frame has no parent");
    }
    boolean fits =
        switch (kind) {
          case REGION -> spec < pools.regions().length;
          case CALL -> spec < pools.entries().length;
          case BLOCK -> spec < pools.forks().length && pools.forks()[spec].policy() != null;
          case BRANCH -> parent.join != null && spec < parent.join.selected.length;
          case SET -> spec < pools.instances().length;
          case INSTANCE -> parent.set != null && spec >= 1 && spec <= parent.set.made;
          case NET -> spec < pools.nets().length;
          case GROUP ->
              spec
                  < (parent.group == null
                      ? pools.processes().length
                      : parent.group.processes.joins().length);
          case CASE -> false;
        };
    if (!fits) {
      throw in.damaged("a frame does not fit the program");
    }
  }

  private Frame.Scope scope(Pool.Region region) {
    Frame.Scope scope = new Frame.Scope();
    int held = in.count();
    if (held != 0 && held != region.holds().length) {
      throw in.damaged("a scope holds " + held + " places");
    }
    List<Context> payloads = new ArrayList<>();
    for (int i = 0; i < held; i++) {
      payloads.add(context());
    }
    scope.held = List.copyOf(payloads);
    scope.due = time();
    if (scope.due != Timers.NEVER) {
      scope.dueOrder = in.below(Integer.MAX_VALUE);
    }
    List<UndoEntry> log = undoEntries();
    scope.undoLog = log.isEmpty() ? null : log;
    return scope;
  }

  private List<UndoEntry> undoEntries() {
    int count = in.count();
    List<UndoEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long order = in.natural();
      int address = address();
      Context context = context();
      Context stamps = stamps();
      long lineage = in.fixed();
      int tasks = pools.tasks().length;
      int task = in.below(2 * tasks);
      String label = task < tasks ? "" : in.text();
      entries.add(new UndoEntry(order, address, context, stamps, lineage, task % tasks, label));
    }
    return entries;
  }

  private Undoing undoing() {
    List<UndoEntry> rest = undoEntries();
    if (rest.isEmpty()) {
      throw in.damaged("an undoing has nothing to undo");
    }
    Undoing.Ending.Kind kind = in.oneOf(Undoing.Ending.Kind.byNumber());
    Failure failure = in.flag() ? StateTail.failure(in) : null;
    return new Undoing(rest, new Undoing.Ending(kind, failure, context(), stamps()));
  }

  private JoinCounter join(Pool.Fork fork) {
    int count = in.count();
    if (count > fork.targets().length) {
      throw in.damaged("a block has " + count + " branches");
    }
    int[] selected = new int[count];
    JoinCounter join = new JoinCounter(selected, pools.tracksWrites());
    for (int i = 0; i < count; i++) {
      selected[i] = in.below(fork.targets().length);
      join.got[i] = optional();
      join.gotCount += join.got[i] == null ? 0 : 1;
      if (stamped) {
        join.gotStamps[i] = optional();
      }
    }
    join.dead = in.below(count + 1);
    join.fired = in.flag();
    join.aborted = in.flag();
    join.byValue = isOld || in.flag();
    return join;
  }

  private InstanceSet set() {
    InstanceSet set = new InstanceSet();
    set.made = in.below(Integer.MAX_VALUE);
    set.dead = in.below(Integer.MAX_VALUE);
    set.fired = in.flag();
    set.sealed = in.flag();
    set.need = in.whole();
    int got = in.count();
    for (int i = 0; i < got; i++) {
      set.got.put(in.below(Integer.MAX_VALUE), context());
    }
    return set;
  }

  private NetState net(Pool.Net spec) {
    NetState net = new NetState(spec);
    net.ended = in.below(Integer.MAX_VALUE);
    net.result = context();
    net.resultStamps = stamps();
    for (NetState.Arcs arcs : net.joins) {
      if (arcs == null) {
        continue;
      }
      arcs.fired = in.flag();
      arcs.firings = in.below(Integer.MAX_VALUE);
      for (int arc = 0; arc < arcs.queues.length; arc++) {
        arcs.seen[arc] = optional();
        arcs.seenStamps[arc] = optional();
        int queued = in.count();
        for (int i = 0; i < queued; i++) {
          queues.add(new Queued(arcs, arc, in.below(Integer.MAX_VALUE)));
        }
      }
    }
    return net;
  }

  private void readTokens(ExecState state) {
    int count = in.count();
    for (int i = 0; i < count; i++) {
      int id = in.below(Integer.MAX_VALUE);
      Frame frame = frames.get(in.below(Integer.MAX_VALUE));
      if (frame == null || tokens.containsKey(id)) {
        throw in.damaged("token " + id + " is out of place");
      }
      int ip = address();
      int octet = in.octet();
      int flags = octet & ~(StateWriter.LINEAGE - 1);
      Token.State tokenState = in.oneOf(Token.State.byNumber(), octet - flags);
      Context context = context();
      Context stamps = stamps();
      long[] loops = loops();
      long lineage = (flags & StateWriter.LINEAGE) != 0 ? in.fixed() : 0;
      Token token = new Token(id, frame, ip, context, stamps, lineage);
      token.loops = loops;
      token.ordinal = in.below(Integer.MAX_VALUE);
      token.node = node(frame);
      token.process = frame.group == null ? null : groups.process(frame.group);
      token.state = tokenState;
      readWait(token, flags);
      frame.attach(token);
      tokens.put(id, token);
      state.live++;
    }
  }

  private void readWait(Token token, int flags) {
    int operation = program.raw().code()[token.ip];
    boolean fits =
        switch (token.state) {
          case READY -> true;
          case EFFECT -> operation == Code.EFFECT_YIELD || operation == Code.TASK_EXEC;
          case AWAIT -> operation == Code.AWAIT || operation == Code.CANCEL_SCOPE;
          case QUEUED -> operation == Code.ARRIVE && token.frame.net != null;
          case HELD -> operation == Code.STEP_GATE && token.frame.group != null && token.node >= 0;
          case GONE -> false;
        };
    if (!fits) {
      throw in.damaged("token " + token.id + " cannot be " + token.state + " where it is");
    }
    if (token.state == Token.State.QUEUED) {
      token.arc = in.below(pools.nets()[token.frame.spec].arcs().length);
    }
    if (token.state == Token.State.READY || token.state == Token.State.QUEUED) {
      return;
    }
    Wait wait = new Wait(in.below(Integer.MAX_VALUE));
    wait.due = (flags & StateWriter.DUE) != 0 ? clock + in.whole() : Timers.NEVER;
    wait.retrying = (flags & StateWriter.RETRYING) != 0;
    wait.holds = (flags & StateWriter.HOLDS) != 0;
    if (token.state == Token.State.EFFECT) {
      wait.effect = Lineage.of(token.lineage, token.ordinal);
      wait.attempt = in.below(Integer.MAX_VALUE);
      wait.computes = (flags & StateWriter.COMPUTES) != 0;
      if (wait.computes && operation != Code.TASK_EXEC) {
        throw in.damaged("token " + token.id + " computes where no function stands");
      }
    } else {
      wait.timerAlternative = in.below(Integer.MAX_VALUE) - 1;
    }
    if (token.state == Token.State.AWAIT && !fits(token, wait, operation)) {
      throw in.damaged("token " + token.id + " waits for the wrong thing");
    }
    token.wait = wait;
  }

  private boolean fits(Token token, Wait wait, int operation) {
    if (operation == Code.AWAIT) {
      Pool.Await await = pools.awaits()[program.raw().code()[token.ip + 1]];
      return !wait.holds && wait.timerAlternative == Places.shortest(await);
    }
    return wait.holds
        && token.frame.kind == Frame.Kind.REGION
        && token.frame.spec == program.raw().code()[token.ip + 2];
  }

  /// Only what stands directly in a net has a node.
  private int node(@Nullable Frame frame) {
    if (frame != null && frame.group != null) {
      return in.below(frame.group.processes.steps().length + 1) - 1;
    }
    if (frame == null || frame.kind != Frame.Kind.NET) {
      return -1;
    }
    return in.below(pools.nets()[frame.spec].nodes().length + 1) - 1;
  }

  private void readPlaces(ExecState state) {
    if (pools.placeCount() > 0) {
      PlaceState[] all = new PlaceState[pools.placeCount()];
      fill(all);
      state.places = all;
    }
    for (Frame frame : frames.values()) {
      if (frame.places != null) {
        fill(frame.places);
      }
    }
  }

  private void fill(PlaceState[] places) {
    for (int i = 0; i < places.length; i++) {
      places[i] = new PlaceState();
      int count = in.count();
      for (int k = 0; k < count; k++) {
        places[i].tokens.add(context());
      }
    }
  }

  /// Rebuilds everything that can be told from tokens and frames.
  private void index(ExecState state) {
    for (Frame frame : frames.values()) {
      switch (frame.kind) {
        case REGION -> {
          Pool.Region region = pools.regions()[frame.spec];
          state.named(region.name()).put(frame.id, frame);
          if (region.marking() >= 0) {
            machine.places.at(state, frame, region.marking()).marks++;
          }
        }
        case SET -> {
          state.named(pools.instances()[frame.spec].name()).put(frame.id, frame);
          state.openSets += machine.instances.awaitsClose(frame) ? 1 : 0;
        }
        case NET -> {
          if (pools.nets()[frame.spec].hasWaitingJoins()) {
            state.nets().put(frame.id, frame);
          }
        }
        case GROUP -> groups.index(state, frame, tokens);
        default -> {}
      }
      if (frame.scope != null && frame.scope.due != Timers.NEVER) {
        state.timers().add(frame.scope.due, frame.scope.dueOrder, frame);
      }
    }
    for (Queued queued : queues) {
      Token token = tokens.get(queued.token());
      if (token == null || token.state != Token.State.QUEUED) {
        throw in.damaged("a queue names token " + queued.token());
      }
      queued.arcs().queues[queued.arc()].add(token);
    }
    List<Token> waiting = new ArrayList<>();
    for (Token token : tokens.values()) {
      if (token.wait != null) {
        waiting.add(token);
      } else if (token.state == Token.State.READY) {
        state.wake(token);
      }
    }
    waiting.sort(
        Comparator.comparingInt(token -> java.util.Objects.requireNonNull(token.wait).number));
    waiting.forEach(token -> resume(state, token));
  }

  private void resume(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (token.state == Token.State.EFFECT) {
      state.effects().put(token);
    } else if (token.state == Token.State.HELD) {
      machine.groups.register(state, token);
    } else {
      machine.places.register(state, token);
    }
    if (wait.due != Timers.NEVER) {
      state.timers().add(wait.due, wait.number, token);
    }
  }

  /// The address behind a call of a definition.
  private int behindCall(int definition) {
    int address = address();
    int call = address - Code.length(Code.CALL);
    int[] code = program.raw().code();
    boolean fits = call >= 0 && program.source().isStart(call) && code[call] == Code.CALL;
    if (!fits || code[call + 1] != definition) {
      throw in.damaged("no call returns to " + address);
    }
    return address;
  }

  private int address() {
    int address = in.below(program.raw().code().length);
    if (!program.source().isStart(address)) {
      throw in.damaged("no instruction starts at " + address);
    }
    return address;
  }

  private Context context() {
    return contexts.get(in.below(contexts.size()));
  }

  private @Nullable Context optional() {
    int number = in.below(contexts.size() + 1);
    return number == 0 ? null : contexts.get(number - 1);
  }

  private Context stamps() {
    return stamped ? context() : Context.empty();
  }

  private long time() {
    return in.flag() ? clock + in.whole() : Timers.NEVER;
  }

  private long @Nullable [] loops() {
    if (pools.loopSlots() == 0 || !in.flag()) {
      return null;
    }
    long[] loops = new long[pools.loopSlots()];
    for (int i = 0; i < loops.length; i++) {
      loops[i] = in.natural();
    }
    return loops;
  }
}
