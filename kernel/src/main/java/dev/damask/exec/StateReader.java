package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.exec.StateCodec.ContextTable;
import dev.damask.migration.Relocation;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.NetState;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Token.Wait;
import dev.damask.state.Undoing;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The reading half of [StateCodec]. It trusts nothing: every index is checked against the program
/// and against the tables read so far.
///
/// The numbers of the program that wrote the state go through a [Relocation]; the state is built
/// and checked in the numbers of the machine's program.
final class StateReader {
  private final Machine machine;
  private final Program program;
  private final Program.Pools pools;
  private final Relocation relocation;
  private final Program.Pools stored;
  private final Decoder in;
  final TreeMap<Integer, Frame> frames = new TreeMap<>();
  final TreeMap<Integer, Token> tokens = new TreeMap<>();
  private final List<StateIndex.Queued> queues = new ArrayList<>();
  private final GroupReader groups;
  private final boolean isOld;
  private final boolean stamped;
  private final boolean tracksWrites;
  private List<Context> contexts;
  private long clock;

  StateReader(Machine machine, Decoder in, int version, Relocation relocation) {
    this(machine, in, version, relocation, List.of());
  }

  /// @param known the contexts, when they were read before; the bytes have none then
  StateReader(
      Machine machine, Decoder in, int version, Relocation relocation, List<Context> known) {
    this.machine = machine;
    this.contexts = known;
    this.program = machine.program;
    this.pools = program.pools();
    this.relocation = relocation;
    this.stored = relocation.source().pools();
    this.in = in;
    this.isOld = version == StateCodec.OLDEST;
    this.stamped = isOld ? stored.stamps() : stored.tracksWrites();
    this.tracksWrites = pools.tracksWrites();
    this.groups = new GroupReader(in, pools, this::optional);
  }

  ExecState read() {
    ExecState state = readTables();
    index(state);
    return state;
  }

  /// Reads everything that is stored, places and timers as they were in the source. The state can
  /// be used after [#index].
  ExecState readTables() {
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
    StateTail.read(in, state, tokens.values(), relocation);
    return state;
  }

  /// Rebuilds everything that can be told from tokens and frames, and checks the state.
  void index(ExecState state) {
    new StateIndex(machine, in, frames, tokens).rebuild(state, groups, queues);
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
    int localPlaces = 0;
    if (!isRoot) {
      parent = frames.get(in.below(Integer.MAX_VALUE));
      spec = in.below(Integer.MAX_VALUE);
      lineage = in.fixed();
      node = node(parent);
      localPlaces = kind == Frame.Kind.CALL ? stored.entries()[spec].localPlaces() : 0;
      spec = relocated(kind, spec);
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
        if (localPlaces > 0) {
          frame.places = new PlaceState[localPlaces];
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

  /// The entry of its pool that a frame activates in the machine's program.
  private int relocated(Frame.Kind kind, int index) {
    return switch (kind) {
      case REGION -> relocation.index(Code.CANCEL_SCOPE, index);
      case BLOCK -> relocation.index(Code.PAR_FORK, index);
      case SET -> relocation.index(Code.MI_SPAWN, index);
      case NET -> relocation.index(Code.NET_ENTER, index);
      case CALL -> relocation.index(Code.CALL, index);
      case CASE, BRANCH, INSTANCE, GROUP -> index;
    };
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
      int address = in.below(Integer.MAX_VALUE);
      Context context = context();
      Context stamps = stamps();
      long lineage = in.fixed();
      int tasks = stored.tasks().length;
      int number = in.below(2 * tasks);
      String label = number < tasks ? "" : in.text();
      if (address != stored.tasks()[number % tasks].undo()) {
        throw in.damaged("no undo starts at " + address);
      }
      int task = relocation.index(Code.TASK_EXEC, number % tasks);
      int undo = pools.tasks()[task].undo();
      entries.add(new UndoEntry(order, undo, context, stamps, lineage, task, label));
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
    JoinCounter join = new JoinCounter(selected, tracksWrites);
    for (int i = 0; i < count; i++) {
      selected[i] = in.below(fork.targets().length);
      join.got[i] = optional();
      join.gotCount += join.got[i] == null ? 0 : 1;
      Context stamps = stamped ? optional() : null;
      if (tracksWrites) {
        join.gotStamps[i] = stamps;
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
          queues.add(new StateIndex.Queued(arcs, arc, in.below(Integer.MAX_VALUE)));
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
      int ip = address(in.below(Integer.MAX_VALUE));
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
        throw in.damaged("token " + token.id + " computes at an address without a function");
      }
    } else {
      wait.timerAlternative = in.below(Integer.MAX_VALUE) - 1;
    }
    token.wait = wait;
  }

  /// Only what is directly in a net has a node.
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
    if (stored.placeCount() > 0) {
      PlaceState[] all = new PlaceState[stored.placeCount()];
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
        places[i].load(context());
      }
    }
  }

  /// The address behind a call of a definition.
  private int behindCall(int definition) {
    int length = Code.length(Code.CALL);
    int call = address(in.below(Integer.MAX_VALUE) - length);
    int[] code = program.raw().code();
    if (code[call] != Code.CALL || code[call + 1] != definition) {
      throw in.damaged("no call returns to " + (call + length));
    }
    return call + length;
  }

  /// The address in the machine's program of an instruction of the program that wrote the state.
  private int address(int stored) {
    if (stored < 0 || !relocation.source().source().isStart(stored)) {
      throw in.damaged("no instruction starts at " + stored);
    }
    return relocation.address(stored);
  }

  private Context context() {
    return contexts.get(in.below(contexts.size()));
  }

  private @Nullable Context optional() {
    int number = in.below(contexts.size() + 1);
    return number == 0 ? null : contexts.get(number - 1);
  }

  private Context stamps() {
    Context stamps = stamped ? context() : Context.empty();
    return tracksWrites ? stamps : Context.empty();
  }

  private long time() {
    return in.flag() ? clock + in.whole() : Timers.NEVER;
  }

  private long @Nullable [] loops() {
    if (stored.loopSlots() == 0 || !in.flag()) {
      return null;
    }
    long[] loops = new long[stored.loopSlots()];
    for (int i = 0; i < loops.length; i++) {
      loops[i] = in.natural();
    }
    int slots = pools.loopSlots();
    return slots == 0 ? null : slots == loops.length ? loops : Arrays.copyOf(loops, slots);
  }
}
