package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Guard;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The net of a plain program: tasks, sequences, choices, loops, forks that wait for all, sets of
/// instances that wait for all, calls, and graphs of merges and AND-joins.
///
/// A place means that a token is at an instruction in an activation. Administrative steps are
/// folded into the previous step. Where many tokens can be at one instruction, in instances and
/// graphs, the place counts them. An instruction that opens an activation is not allowed there,
/// because tokens of different activations would be mixed. All other programs are checked with the
/// machine.
final class ProgramNet {
  private static final int CALLS_MAX = 8;
  private static final int PLACES_MAX = 100_000;

  private final Program program;
  private final int[] code;
  private final Program.Pools pools;
  private final int countMax;
  private final List<PackedNet.PlaceSpec> places = new ArrayList<>();
  private final List<PackedNet.TransitionSpec> transitions = new ArrayList<>();
  private final List<Label> labels = new ArrayList<>();
  private final Map<Object, Integer> placeOf = new HashMap<>();
  private final Map<Object, Scope> scopeOf = new HashMap<>();
  private final Deque<Stop> open = new ArrayDeque<>();
  private final List<OpenNet> nets = new ArrayList<>();
  private boolean isExact = true;

  /// The meaning of a transition: the address of the instruction and the chosen way.
  record Label(Kind kind, int address, int way) {}

  enum Kind {
    TASK,
    CHOICE,
    LOOP,
    FORK,
    JOIN,
    END
  }

  /// The activation of a token. There is one object per activation, so identity is equality.
  private static final class Scope {
    final @Nullable Scope parent;
    final ScopeKind kind;

    /// Whether several tokens can be at one instruction in it.
    final boolean many;

    /// The return address of a call; -1 for others.
    final int returns;

    /// The depth of calls.
    final int depth;

    Scope(@Nullable Scope parent, ScopeKind kind, boolean many, int returns, int depth) {
      this.parent = parent;
      this.kind = kind;
      this.many = many;
      this.returns = returns;
      this.depth = depth;
    }
  }

  /// A token at an instruction of an activation.
  private record Stop(int address, Scope scope) {}

  private record Delivered(Scope scope) {}

  /// A graph that was entered.
  private record OpenNet(int address, Scope parent, Scope scope) {}

  private record ArcPlace(Scope scope, int arc) {}

  private record EndedPlace(Scope scope) {}

  private ProgramNet(Program program, int countMax) {
    this.program = program;
    this.code = program.raw().code();
    this.pools = program.pools();
    this.countMax = countMax;
  }

  /// A net and the meaning of its transitions.
  ///
  /// @param isExact whether the program does not depend on data
  record Result(PackedNet net, List<Label> labels, boolean isExact) {
    Result {
      labels = List.copyOf(labels);
    }
  }

  /// Returns the net of a program. Empty if the program is not plain.
  ///
  /// @param countMax the maximum number of tokens of a counting place
  static Optional<Result> of(Program program, int countMax) {
    try {
      return Optional.of(new ProgramNet(program, countMax).run());
    } catch (NotPlain e) {
      return Optional.empty();
    }
  }

  private Result run() {
    Scope root = new Scope(null, ScopeKind.CASE, false, -1, 0);
    int start = resolve(program.raw().entry(), root);
    places.set(start, new PackedNet.PlaceSpec(1, places.get(start).capacity()));
    List<Integer> exits = new ArrayList<>();
    while (!open.isEmpty() || exits.size() < nets.size()) {
      if (exits.size() < nets.size()) {
        OpenNet net = nets.get(exits.size());
        int continuation = pools.nets()[code[net.address() + 1]].continuation();
        exits.add(resolve(continuation, net.parent()));
      } else {
        expand(open.pop());
      }
      if (places.size() > PLACES_MAX) {
        throw new NotPlain("too large");
      }
    }
    for (int i = 0; i < exits.size(); i++) {
      deliver(nets.get(i), exits.get(i));
    }
    return inOrder();
  }

  /// Returns the net with steps of the machine first and external events last.
  private Result inOrder() {
    List<PackedNet.TransitionSpec> specs = new ArrayList<>();
    List<Label> sorted = new ArrayList<>();
    int internals = 0;
    for (boolean outside : new boolean[] {false, true}) {
      for (int t = 0; t < labels.size(); t++) {
        Label label = labels.get(t);
        boolean effect = label.kind() == Kind.TASK && code[label.address()] == Code.EFFECT_YIELD;
        if (effect == outside) {
          specs.add(transitions.get(t));
          sorted.add(label);
        }
      }
      internals = outside ? internals : specs.size();
    }
    return new Result(new PackedNet(places, specs, internals), sorted, isExact);
  }

  private int place(Object key, int capacity) {
    Integer known = placeOf.get(key);
    if (known != null) {
      return known;
    }
    placeOf.put(key, places.size());
    places.add(new PackedNet.PlaceSpec(0, capacity));
    return places.size() - 1;
  }

  private Scope scope(Scope parent, Object key, ScopeKind kind, boolean many) {
    return scopeOf.computeIfAbsent(
        List.of(kind, key, parent), k -> new Scope(parent, kind, many, -1, parent.depth));
  }

  private int capacity(Scope scope) {
    return scope.many ? countMax : 1;
  }

  /// Returns the place at which a token that continues at an address waits.
  private int resolve(int address, Scope from) {
    int at = address;
    Scope scope = from;
    for (int hops = 0; hops < code.length * CALLS_MAX; hops++) {
      switch (code[at]) {
        case Code.SEQ_ENTER, Code.NET_END -> at++;
        case Code.JOIN_WAIT -> at += 2;
        case Code.SEQ_NEXT, Code.LOOP_BACK -> at = code[at + 1];
        case Code.CANCEL_SCOPE -> at = throughRegion(at);
        case Code.CALL -> {
          Scope call = call(at, scope);
          at = pools.entries()[code[at + 1]].address();
          scope = call;
        }
        case Code.RET -> {
          at = scope.returns;
          scope = java.util.Objects.requireNonNull(scope.parent);
        }
        case Code.NET_ENTER -> {
          scope = net(at, scope);
          at += 2;
        }
        case Code.ARRIVE -> {
          Pool.Net net = pools.nets()[code[at + 1]];
          Pool.Arc arc = net.arcs()[code[at + 2]];
          if (net.nodes()[arc.target()].kind() != Pool.JoinKind.MERGE) {
            return place(new ArcPlace(scope, code[at + 2]), countMax);
          }
          at = net.nodes()[arc.target()].body();
        }
        case Code.DONE -> {
          return done(at, scope);
        }
        default -> {
          return stop(at, scope);
        }
      }
    }
    throw new NotPlain("a loop of nothing");
  }

  private int stop(int at, Scope scope) {
    Stop stop = new Stop(at, scope);
    if (!placeOf.containsKey(stop)) {
      open.push(stop);
    }
    return place(stop, capacity(scope));
  }

  private int done(int at, Scope scope) {
    return switch (scope.kind) {
      case BRANCH -> place(new Delivered(scope), 1);
      case INSTANCE -> place(new Delivered(scope), countMax);
      case CASE, NET -> stop(at, scope);
      case CALL -> throw new NotPlain("a call ends by RET");
    };
  }

  private int throughRegion(int at) {
    Pool.Region region = pools.regions()[code[at + 2]];
    boolean plain =
        region.holds().length == 0
            && region.marking() < 0
            && region.timeoutMillis() == 0
            && region.handler() < 0
            && !region.undo();
    if (!plain) {
      throw new NotPlain("a scope that does something");
    }
    return code[at + 1] == Code.ENTER ? at + 3 : region.continuation();
  }

  private Scope call(int at, Scope scope) {
    if (scope.depth >= CALLS_MAX) {
      throw new NotPlain("calls nest deeply");
    }
    return scopeOf.computeIfAbsent(
        List.of(ScopeKind.CALL, at, scope),
        key -> new Scope(scope, ScopeKind.CALL, scope.many, at + 2, scope.depth + 1));
  }

  private Scope net(int at, Scope parent) {
    Pool.Net net = pools.nets()[code[at + 1]];
    requireSingle(parent);
    for (Pool.Node node : net.nodes()) {
      boolean plain = node.kind() == Pool.JoinKind.MERGE || node.kind() == Pool.JoinKind.AND;
      if (!plain || node.abort()) {
        throw new NotPlain("a join that must know what can still come");
      }
    }
    if (net.mode() == Mode.EXPLICIT) {
      throw new NotPlain("a graph that ends with its first token");
    }
    Object key = List.of(ScopeKind.NET, at, parent);
    if (!scopeOf.containsKey(key)) {
      Scope scope = scope(parent, at, ScopeKind.NET, true);
      for (int node = 0; node < net.nodes().length; node++) {
        if (net.nodes()[node].kind() == Pool.JoinKind.AND) {
          join(net, node, scope);
        }
      }
      nets.add(new OpenNet(at, parent, scope));
    }
    return java.util.Objects.requireNonNull(scopeOf.get(key));
  }

  private static void requireSingle(Scope scope) {
    if (scope.many) {
      throw new NotPlain("an activation where many tokens can be");
    }
  }

  private void join(Pool.Net net, int node, Scope scope) {
    List<Integer> inputs = new ArrayList<>();
    for (int index = 0; index < net.arcs().length; index++) {
      Pool.Arc arc = net.arcs()[index];
      if (arc.target() == node) {
        int weight = net.nodes()[node].weights()[arc.position()];
        if (weight > countMax) {
          throw new NotPlain("a weight above the bound of places");
        }
        inputs.addAll(List.of(place(new ArcPlace(scope, index), countMax), weight));
      }
    }
    if (inputs.size() < 2 * net.nodes()[node].arcs()) {
      return;
    }
    int body = resolve(net.nodes()[node].body(), scope);
    add(new Label(Kind.JOIN, net.nodes()[node].body(), 0), inputs, List.of(body, 1), List.of());
  }

  /// Adds the end of a graph: a token has reached the end and no other is left.
  private void deliver(OpenNet net, int next) {
    Scope scope = net.scope();
    int ended = place(new EndedPlace(scope), 1);
    List<Integer> inside = new ArrayList<>();
    placeOf.forEach((key, place) -> {
      boolean within =
          switch (key) {
            case Stop(var address, var in) -> isWithin(in, scope);
            case ArcPlace(var in, var arc) -> in == scope;
            case Delivered(var in) -> isWithin(in, scope);
            case EndedPlace(var in) -> in != scope && isWithin(in, scope);
            default -> false;
          };
      if (within) {
        inside.add(place);
      }
    });
    add(new Label(Kind.JOIN, net.address(), 1), List.of(ended, 1), List.of(next, 1), inside);
  }

  private static boolean isWithin(Scope scope, Scope outer) {
    for (Scope at = scope; at != null; at = at.parent) {
      if (at == outer) {
        return true;
      }
    }
    return false;
  }

  private void add(
      Label label, List<Integer> inputs, List<Integer> outputs, List<Integer> forbids) {
    labels.add(label);
    transitions.add(new PackedNet.TransitionSpec(merged(inputs), merged(outputs), ints(forbids)));
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  /// Merges several arcs to one place into one arc with the sum of their weights.
  private static int[] merged(List<Integer> pairs) {
    Map<Integer, Integer> weights = new java.util.TreeMap<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      weights.merge(pairs.get(i), pairs.get(i + 1), Integer::sum);
    }
    List<Integer> merged = new ArrayList<>();
    weights.forEach((place, weight) -> merged.addAll(List.of(place, weight)));
    return ints(merged);
  }

  private void move(Label label, Stop from, int to) {
    add(label, List.of(place(from, 1), 1), List.of(to, 1), List.of());
  }

  private void expand(Stop stop) {
    int at = stop.address();
    switch (code[at]) {
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> {
        if (Abstraction.fails(pools.tasks()[code[at + 1]])) {
          throw new NotPlain("a task that fails");
        }
        move(new Label(Kind.TASK, at, 0), stop, resolve(at + 2, stop.scope()));
      }
      case Code.XOR_CHOOSE -> choices(stop, pools.choices()[code[at + 1]]);
      case Code.LOOP_CHECK -> loop(stop);
      case Code.PAR_FORK -> fork(stop, pools.forks()[code[at + 1]]);
      case Code.MI_SPAWN -> instances(stop, pools.instances()[code[at + 1]]);
      case Code.DONE -> end(stop);
      default -> throw new NotPlain("instruction " + code[at]);
    }
  }

  private void choices(Stop stop, Pool.Choice choice) {
    if (Abstraction.isNeverTaken(choice)) {
      throw new NotPlain("a choice that always fails");
    }
    for (int i = 0; i < choice.targets().length; i++) {
      Guard guard = choice.guards()[i];
      if (guard != null && !guard.constant().orElse(true)) {
        continue;
      }
      int to = resolve(choice.targets()[i], stop.scope());
      move(new Label(Kind.CHOICE, stop.address(), i), stop, to);
      if (guard != null && guard.constant().orElse(false)) {
        break;
      }
      isExact &= guard == null;
    }
  }

  private void loop(Stop stop) {
    int at = stop.address();
    int kind = code[at + 1];
    boolean round = true;
    boolean exit = true;
    if (kind == Code.LOOP_COUNT) {
      if (Abstraction.rounds(pools.expressions()[code[at + 2]]).isPresent()) {
        throw new NotPlain("a loop that counts");
      }
      isExact = false;
    } else {
      Guard guard = pools.guards()[code[at + 2]];
      boolean constant = Abstraction.isConstant(guard);
      boolean holds = guard.constant().orElse(false) == (kind == Code.LOOP_WHILE);
      round = !constant || holds;
      exit = !constant || !holds;
      isExact &= constant;
    }
    if (round) {
      move(new Label(Kind.LOOP, at, 0), stop, resolve(at + 5, stop.scope()));
    }
    if (exit) {
      move(new Label(Kind.LOOP, at, 1), stop, resolve(code[at + 4], stop.scope()));
    }
  }

  private void fork(Stop stop, Pool.Fork fork) {
    boolean merges = fork.policy() != null && fork.policy().merge() == Merge.Standard.FAIL;
    if (fork.isGuarded() || fork.otherwise() >= 0 || merges) {
      throw new NotPlain("a fork with guards, or a merge that can fail");
    }
    Label label = new Label(Kind.FORK, stop.address(), 0);
    List<Integer> outputs = new ArrayList<>();
    if (fork.policy() == null) {
      for (int target : fork.targets()) {
        outputs.addAll(List.of(resolve(target, stop.scope()), 1));
      }
      add(label, List.of(place(stop, 1), 1), outputs, List.of());
      return;
    }
    requireSingle(stop.scope());
    if (fork.policy().need() instanceof JoinPolicy.Need.Count) {
      throw new NotPlain("a join that does not wait for all");
    }
    List<Integer> inputs = new ArrayList<>();
    for (int i = 0; i < fork.targets().length; i++) {
      Scope branch = scope(stop.scope(), List.of(stop.address(), i), ScopeKind.BRANCH, false);
      outputs.addAll(List.of(resolve(fork.targets()[i], branch), 1));
      inputs.addAll(List.of(place(new Delivered(branch), 1), 1));
    }
    add(label, List.of(place(stop, 1), 1), outputs, List.of());
    int next = resolve(fork.continuation(), stop.scope());
    add(new Label(Kind.JOIN, fork.continuation(), 0), inputs, List.of(next, 1), List.of());
  }

  private void instances(Stop stop, Pool.Instances spec) {
    requireSingle(stop.scope());
    InstancePolicy policy = spec.policy();
    var count = Abstraction.instances(policy.count());
    boolean plain =
        count.isPresent()
            && policy.need() instanceof InstancePolicy.Need.All
            && !policy.isOpen()
            && count.getAsLong() >= policy.min()
            && count.getAsLong() <= policy.max();
    if (!plain || count.getAsLong() > countMax) {
      throw new NotPlain("a set of instances that is not fixed");
    }
    int number = (int) count.getAsLong();
    int next = resolve(spec.continuation(), stop.scope());
    Label label = new Label(Kind.FORK, stop.address(), 0);
    if (number == 0) {
      move(label, stop, next);
      return;
    }
    Scope instance = scope(stop.scope(), stop.address(), ScopeKind.INSTANCE, true);
    int body = resolve(spec.body(), instance);
    int got = place(new Delivered(instance), countMax);
    add(label, List.of(place(stop, 1), 1), List.of(body, number), List.of());
    add(
        new Label(Kind.JOIN, spec.continuation(), 0),
        List.of(got, number),
        List.of(next, 1),
        List.of());
  }

  private void end(Stop stop) {
    Label label = new Label(Kind.END, stop.address(), 0);
    int here = place(stop, 1);
    if (stop.scope().kind == ScopeKind.CASE) {
      add(label, List.of(here, 1), List.of(place("final", 1), 1), List.of());
      return;
    }
    int ended = place(new EndedPlace(stop.scope()), 1);
    add(label, List.of(here, 1), List.of(ended, 1), List.of(ended));
    add(label, List.of(here, 1, ended, 1), List.of(ended, 1), List.of());
  }
}
