package dev.damask.compile;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Makes the fast image of a program. It keeps the address space of the raw one: everything that
/// names an address names the first instruction from there on that does something, and a run of
/// task functions becomes one instruction at the address of its first task.
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
        case Code.TASK_EXEC -> fuse(at);
        default -> {}
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

  /// Whether a task function stands there that leaves no trace in its scope.
  private boolean isPlainTask(int at) {
    return raw[at] == Code.TASK_EXEC && pools.tasks()[raw[at + 1]].undo() < 0;
  }

  private Program.Pools pools() {
    return new Program.Pools(
        pools.tasks(),
        Arrays.stream(pools.forks()).map(this::fork).toArray(Pool.Fork[]::new),
        Arrays.stream(pools.choices()).map(this::choice).toArray(Pool.Choice[]::new),
        pools.guards(),
        pools.expressions(),
        Arrays.stream(pools.regions()).map(this::region).toArray(Pool.Region[]::new),
        Arrays.stream(pools.instances()).map(this::instances).toArray(Pool.Instances[]::new),
        Arrays.stream(pools.awaits()).map(this::await).toArray(Pool.Await[]::new),
        pools.emissions(),
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
        pools.stamps());
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
        fork.guards(),
        fork.otherwise(),
        fork.policy(),
        optional(fork.continuation()));
  }

  private Pool.Choice choice(Pool.Choice choice) {
    return new Pool.Choice(all(choice.targets()), choice.guards(), choice.otherwise());
  }

  private Pool.Region region(Pool.Region region) {
    return new Pool.Region(
        region.name(),
        region.holds(),
        region.timeoutMillis(),
        optional(region.onTimeout()),
        optional(region.handler()),
        region.undo(),
        region.allow(),
        land(region.continuation()));
  }

  private Pool.Instances instances(Pool.Instances spec) {
    return new Pool.Instances(
        spec.name(), spec.unit(), spec.policy(), land(spec.body()), land(spec.continuation()));
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
