package dev.damask.compile;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.TaskFunction;
import dev.damask.term.InstancePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Makes the fast image of a program. It keeps the address space of the raw one: everything that
/// names an address names the first instruction from there on that does something, and a run of
/// task functions becomes one instruction at the address of its first task.
///
/// Guards that no context can change are folded: a choice neither evaluates them nor leads to a
/// branch that cannot be taken. Such a branch is dead code. No instruction of the image leads to it
/// and it is not optimised, but it stays at its address: a migrated case may stand in it. A choice
/// stays a step, so both images take the same steps. Constant expressions that tasks write, that
/// emissions send, and that count rounds and instances are computed in advance.
final class Optimiser {
  /// No run is longer, so that one instruction never takes long.
  private static final int RUN_MAX = 64;

  private final int[] raw;
  private final int[] fast;
  private final Program.Pools pools;
  private final int[] landing;
  private final BitSet heads = new BitSet();
  private final BitSet fused = new BitSet();
  private final List<Pool.Run> runs = new ArrayList<>();

  private Optimiser(Program.Image image) {
    this.raw = image.code();
    this.fast = raw.clone();
    this.pools = image.pools();
    this.landing = new int[raw.length];
  }

  static Program.Image optimise(Program.Image image) {
    return new Optimiser(image).run();
  }

  private Program.Image run() {
    Arrays.fill(landing, -1);
    for (int at = 0; at < raw.length; at += Code.length(raw[at])) {
      if (raw[at] == Code.LOOP_BACK) {
        heads.set(land(raw[at + 1]));
      }
    }
    for (int at = 0; at < raw.length; at += Code.length(raw[at])) {
      switch (raw[at]) {
        case Code.SEQ_NEXT, Code.LOOP_BACK -> fast[at + 1] = land(raw[at + 1]);
        case Code.LOOP_CHECK -> fast[at + 4] = land(raw[at + 4]);
        default -> {}
      }
    }
    BitSet live = Reach.addresses(new Program.Image(fast, pools(), land(0)));
    for (int at = 0; at < raw.length; at += Code.length(raw[at])) {
      if (raw[at] == Code.TASK_EXEC && live.get(at)) {
        fuse(at);
      }
    }
    return new Program.Image(fast, pools(), land(0));
  }

  /// The first address, from here on, of an instruction that is not administrative. Every address
  /// on the way learns where it lands, so all look-ups together take linear time.
  private int land(int from) {
    int at = from;
    while (landing[at] < 0) {
      int operation = raw[at];
      int next;
      if (operation == Code.SEQ_NEXT) {
        next = raw[at + 1];
      } else if (operation != Code.LOOP_BACK && Code.promise(operation).administrative()) {
        next = at + Code.length(operation);
      } else {
        break;
      }
      at = next;
    }
    int end = landing[at] < 0 ? at : landing[at];
    for (int step = from; step != at; ) {
      landing[step] = end;
      step = raw[step] == Code.SEQ_NEXT ? raw[step + 1] : step + Code.length(raw[step]);
    }
    landing[at] = end;
    return end;
  }

  private void fuse(int first) {
    if (fused.get(first)) {
      return;
    }
    List<Integer> addresses = new ArrayList<>();
    int at = first;
    while (isPlainTask(at) && addresses.size() < RUN_MAX && (at == first || !heads.get(at))) {
      addresses.add(at);
      fused.set(at);
      at = land(at + 2);
    }
    if (addresses.size() > 1) {
      fast[first] = Code.TASK_RUN;
      fast[first + 1] = runs.size();
      int[] tasks = addresses.stream().mapToInt(address -> raw[address + 1]).toArray();
      runs.add(new Pool.Run(tasks, addresses.stream().mapToInt(Integer::intValue).toArray(), at));
    }
  }

  /// Whether a task function is there that leaves no trace in its scope.
  private boolean isPlainTask(int at) {
    return raw[at] == Code.TASK_EXEC && pools.tasks()[raw[at + 1]].undo() < 0;
  }

  private Program.Pools pools() {
    return new Program.Pools(
        Arrays.stream(pools.tasks()).map(Optimiser::task).toArray(Pool.Task[]::new),
        Arrays.stream(pools.forks()).map(this::fork).toArray(Pool.Fork[]::new),
        Arrays.stream(pools.choices()).map(this::choice).toArray(Pool.Choice[]::new),
        pools.guards(),
        folded(pools.expressions()),
        Arrays.stream(pools.regions()).map(this::region).toArray(Pool.Region[]::new),
        Arrays.stream(pools.instances()).map(this::instances).toArray(Pool.Instances[]::new),
        Arrays.stream(pools.awaits()).map(this::await).toArray(Pool.Await[]::new),
        Arrays.stream(pools.emissions()).map(Optimiser::emission).toArray(Pool.Emission[]::new),
        pools.kills(),
        Arrays.stream(pools.entries()).map(this::entry).toArray(Pool.Entry[]::new),
        Arrays.stream(pools.nets()).map(this::net).toArray(Pool.Net[]::new),
        Arrays.stream(pools.processes()).map(this::processes).toArray(Pool.Processes[]::new),
        runs.toArray(Pool.Run[]::new),
        pools.places(),
        pools.names(),
        pools.unitEnds(),
        pools.unitsOfName(),
        pools.loopSlots(),
        pools.stamps(),
        passings());
  }

  private Map<Integer, Pool.Passing> passings() {
    Map<Integer, Pool.Passing> passings = new HashMap<>();
    pools.passings().forEach((at, passing) -> passings.put(at, passing.folded()));
    return passings;
  }

  private int optional(int address) {
    return address < 0 ? address : land(address);
  }

  private int[] all(int[] addresses) {
    return Arrays.stream(addresses).map(this::land).toArray();
  }

  private Pool.Fork fork(Pool.Fork fork) {
    return new Pool.Fork(
        all(fork.targets()),
        folded(fork.guards()),
        fork.otherwise(),
        fork.policy(),
        optional(fork.continuation()));
  }

  private Pool.Choice choice(Pool.Choice choice) {
    return choice.isFree() ? landed(choice) : folded(choice);
  }

  private Pool.Choice landed(Pool.Choice choice) {
    return new Pool.Choice(all(choice.targets()), choice.guards(), choice.otherwise());
  }

  /// A choice without the branches that constant guards rule out.
  private Pool.Choice folded(Pool.Choice choice) {
    List<Integer> kept = new ArrayList<>();
    int last = choice.otherwise();
    for (int i = 0; i < choice.targets().length; i++) {
      Guard guard = choice.guards()[i];
      Optional<Boolean> constant = guard == null ? Optional.of(false) : guard.constant();
      if (constant.orElse(false)) {
        last = i;
        break;
      }
      if (constant.isEmpty()) {
        kept.add(i);
      }
    }
    if (kept.isEmpty() && last < 0) {
      return landed(choice); // it always fails
    }
    int otherwise = last < 0 ? -1 : kept.size();
    if (last >= 0) {
      kept.add(last);
    }
    int[] targets = kept.stream().mapToInt(i -> land(choice.targets()[i])).toArray();
    @Nullable Guard[] guards = new Guard[targets.length];
    for (int i = 0; i < guards.length; i++) {
      guards[i] = i == otherwise ? null : choice.guards()[kept.get(i)];
    }
    return new Pool.Choice(targets, guards, otherwise);
  }

  /// Guards of a fork; one that is always true need not be evaluated. The number of a branch is
  /// part of the state, so none is left out.
  private static @Nullable Guard[] folded(@Nullable Guard[] guards) {
    @Nullable Guard[] folded = guards.clone();
    for (int i = 0; i < folded.length; i++) {
      Guard guard = folded[i];
      if (guard != null && guard.constant().orElse(false)) {
        folded[i] = null;
      }
    }
    return folded;
  }

  private Pool.Region region(Pool.Region region) {
    return new Pool.Region(
        region.name(),
        region.holds(),
        region.marking(),
        region.timeoutMillis(),
        optional(region.onTimeout()),
        optional(region.handler()),
        region.undo(),
        region.allow(),
        region.listener(),
        land(region.continuation()));
  }

  private Pool.Instances instances(Pool.Instances spec) {
    return new Pool.Instances(
        spec.name(),
        spec.unit(),
        folded(spec.policy()),
        land(spec.body()),
        land(spec.continuation()));
  }

  private static InstancePolicy folded(InstancePolicy policy) {
    InstancePolicy.Need need =
        policy.need() instanceof InstancePolicy.Need.Count(var count)
            ? new InstancePolicy.Need.Count(count.folded())
            : policy.need();
    return new InstancePolicy(
        policy.count().folded(),
        policy.min(),
        policy.max(),
        policy.open(),
        need,
        policy.rest(),
        policy.collect());
  }

  private static Expression[] folded(Expression[] expressions) {
    return Arrays.stream(expressions).map(Expression::folded).toArray(Expression[]::new);
  }

  private static Pool.Task task(Pool.Task task) {
    TaskFunction function = task.function();
    TaskFunction folded = function == null ? null : function.folded();
    return folded == function
        ? task
        : new Pool.Task(
            task.name(),
            task.text(),
            folded,
            task.template(),
            task.handler(),
            task.options(),
            task.undo());
  }

  private static Pool.Emission emission(Pool.Emission emission) {
    return new Pool.Emission(
        emission.kind(), emission.target(), emission.keys(), folded(emission.values()));
  }

  private Pool.Await await(Pool.Await await) {
    return new Pool.Await(
        await.alternatives().stream()
            .map(a -> new Pool.Alternative(a.kind(), a.places(), a.millis(), land(a.target())))
            .toList());
  }

  private Pool.Entry entry(Pool.Entry entry) {
    return new Pool.Entry(entry.name(), entry.unit(), land(entry.address()), entry.localPlaces());
  }

  private Pool.Net net(Pool.Net net) {
    return new Pool.Net(
        net.mode(),
        net.merge(),
        Arrays.stream(net.nodes()).map(this::node).toArray(Pool.Node[]::new),
        net.arcs(),
        net.startArcs(),
        land(net.continuation()));
  }

  /// Gates are never administrative, so only the way out can land elsewhere.
  private Pool.Processes processes(Pool.Processes pool) {
    return new Pool.Processes(
        pool.steps(), pool.joins(), pool.reach(), land(pool.continuation()), pool.free());
  }

  private Pool.Node node(Pool.Node node) {
    return new Pool.Node(
        node.id(),
        node.kind(),
        node.weights(),
        node.k(),
        node.cancels(),
        node.abort(),
        land(node.body()),
        node.outgoing());
  }
}
