package dev.damask.program;

import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Prints a program for people in one normalised form, one instruction per line. The program hash
/// does not depend on it: see [ProgramIdentity].
public final class Listing {
  private Listing() {}

  /// The program as the compiler emitted it.
  public static String raw(String name, Mode mode, int[] code, Program.Pools pools) {
    StringBuilder text = new StringBuilder();
    text.append("workflow ").append(name).append(' ').append(word(mode)).append('\n');
    for (Pool.PlaceSlot slot : pools.places()) {
      text.append(place(slot, pools)).append('\n');
    }
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      line(text, at, code, pools);
    }
    return text.toString();
  }

  /// The program as the compiler emitted it.
  public static String raw(Program program) {
    return raw(program.name(), program.mode(), program.raw().code(), program.pools());
  }

  /// The program as it runs: only what can be reached, with administrative steps removed.
  public static String optimised(Program program) {
    StringBuilder text = new StringBuilder();
    text.append("workflow ").append(program.name()).append(' ').append(word(program.mode()));
    text.append('\n');
    for (int at : Reach.addresses(program)) {
      line(text, at, program.fast().code(), program.fast().pools());
    }
    return text.toString();
  }

  private static void line(StringBuilder text, int at, int[] code, Program.Pools pools) {
    String address = Integer.toString(at);
    text.repeat(' ', Math.max(0, 4 - address.length())).append(address).append(": ");
    text.append(instruction(decode(code, at, pools))).append('\n');
  }

  /// One instruction as text, such as `PAR_FORK [2, 5] join all`.
  public static String instruction(Opcode opcode) {
    String operands =
        switch (opcode) {
          case Opcode.SeqEnter() -> "";
          case Opcode.SeqNext(var target) -> target.toString();
          case Opcode.TaskExec(var task) -> task;
          case Opcode.EffectYield(var task) -> task;
          case Opcode.ParFork(var targets, var guards, var join) ->
              targets(targets, guards) + (join.isEmpty() ? "" : " join " + join);
          case Opcode.JoinWait(var join) -> join;
          case Opcode.XorChoose(var targets, var guards) -> targets(targets, guards);
          case Opcode.LoopCheck(var policy, var exit) -> policy + " exit " + exit;
          case Opcode.LoopBack(var head) -> head.toString();
          case Opcode.CancelScope(var side, var name, var options) ->
              side + " " + name + suffix(options);
          case Opcode.MiSpawn(var name, var options, var exit) ->
              name + suffix(options) + " exit " + exit;
          case Opcode.Await(var alternatives, var targets) -> targets(targets, alternatives);
          case Opcode.Emit(var place, var payload) -> place + suffix(payload);
          case Opcode.Kill(var name, var outcome) -> name + " as " + outcome;
          case Opcode.Call(var definition, var entry, var passing) ->
              definition + " " + entry + passing;
          case Opcode.Ret() -> "";
          case Opcode.NetEnter(var mode, var nodes) -> mode + suffix(nodes);
          case Opcode.Arrive(var source, var node) -> source + " -> " + node;
          case Opcode.NetEnd() -> "";
          case Opcode.Done() -> "";
          case Opcode.GroupEnter(var steps) -> steps.toString();
          case Opcode.StepGate(var step) -> step;
          case Opcode.Spawn(var step, var valid, var invalid) ->
              step + " valid " + valid + " invalid " + invalid;
          case Opcode.TaskRun(var tasks, var next) -> tasks + " next " + next;
        };
    return (opcode.mnemonic() + " " + operands).strip();
  }

  /// The instruction at an address in readable form.
  public static Opcode decode(int[] code, int at, Program.Pools pools) {
    return switch (code[at]) {
      case Code.SEQ_ENTER -> new Opcode.SeqEnter();
      case Code.SEQ_NEXT -> new Opcode.SeqNext(new Ip(code[at + 1]));
      case Code.TASK_EXEC -> new Opcode.TaskExec(task(pools.tasks()[code[at + 1]]));
      case Code.EFFECT_YIELD -> new Opcode.EffectYield(task(pools.tasks()[code[at + 1]]));
      case Code.PAR_FORK -> fork(pools.forks()[code[at + 1]]);
      case Code.JOIN_WAIT -> new Opcode.JoinWait(policy(pools.forks()[code[at + 1]].policy()));
      case Code.XOR_CHOOSE -> choice(pools.choices()[code[at + 1]]);
      case Code.LOOP_CHECK -> loop(code, at, pools);
      case Code.LOOP_BACK -> new Opcode.LoopBack(new Ip(code[at + 1]));
      case Code.CANCEL_SCOPE -> scope(code[at + 1], pools.regions()[code[at + 2]], pools);
      case Code.MI_SPAWN -> instances(pools.instances()[code[at + 1]], pools);
      case Code.AWAIT -> await(pools.awaits()[code[at + 1]], pools);
      case Code.EMIT -> emission(pools.emissions()[code[at + 1]], pools);
      case Code.KILL -> kill(pools.kills()[code[at + 1]], pools);
      case Code.CALL -> {
        Pool.Entry entry = pools.entries()[code[at + 1]];
        String passing = Pool.Passing.text(pools.passings().get(at));
        yield new Opcode.Call(entry.name(), new Ip(entry.address()), passing);
      }
      case Code.RET -> new Opcode.Ret();
      case Code.NET_ENTER -> net(pools.nets()[code[at + 1]]);
      case Code.ARRIVE -> arrive(pools.nets()[code[at + 1]], code[at + 2]);
      case Code.NET_END -> new Opcode.NetEnd();
      case Code.DONE -> new Opcode.Done();
      case Code.GROUP_ENTER -> GroupListing.enter(pools.processes()[code[at + 1]]);
      case Code.STEP_GATE ->
          new Opcode.StepGate(pools.processes()[code[at + 1]].steps()[code[at + 2]].id());
      case Code.SPAWN -> GroupListing.spawn(pools.processes()[code[at + 1]], code[at + 2]);
      case Code.TASK_RUN -> run(pools.runs()[code[at + 1]], pools);
      default -> throw new IllegalArgumentException("no operation " + code[at] + " at " + at);
    };
  }

  private static String task(Pool.Task task) {
    StringBuilder text = new StringBuilder(task.name().isEmpty() ? "-" : task.name());
    if (!task.text().isEmpty() && !task.text().equals(task.name())) {
      text.append(" {").append(task.text()).append('}');
    }
    TaskOptions options = task.options();
    TaskOptions plain = TaskOptions.DEFAULT;
    append(text, "delivery", options.delivery() != plain.delivery(), word(options.delivery()));
    append(text, "timeout", options.timeout() != null, options.timeout());
    append(text, "retry", !options.retry().equals(plain.retry()), retry(options));
    append(text, "result", options.result() != null, options.result());
    append(text, "key", options.key() != null, options.key() == null ? "" : options.key().text());
    append(text, "cost", options.cost().signum() != 0, options.cost().toPlainString());
    append(text, "onExhausted", options.onExhausted() != plain.onExhausted(), "park");
    append(text, "undo", task.undo() >= 0, task.undo());
    return text.toString();
  }

  private static String retry(TaskOptions options) {
    var retry = options.retry();
    String text = retry.max() + "/" + retry.delay() + "/" + retry.backoff() + "/" + retry.jitter();
    return retry.on() == Retry.On.ANY ? text : text + "/notSent";
  }

  private static void append(
      StringBuilder text, String name, boolean there, @Nullable Object value) {
    if (there) {
      text.append(' ').append(name).append('=').append(value);
    }
  }

  private static Opcode fork(Pool.Fork fork) {
    boolean guarded = fork.isGuarded() || fork.otherwise() >= 0;
    List<String> guards = guarded ? guards(fork.guards(), fork.otherwise()) : List.of();
    return new Opcode.ParFork(ips(fork.targets()), guards, policy(fork.policy()));
  }

  private static String policy(@Nullable JoinPolicy policy) {
    if (policy == null) {
      return "";
    }
    String need =
        switch (policy.need()) {
          case JoinPolicy.Need.All() -> "all";
          case JoinPolicy.Need.Sync() -> "sync";
          case JoinPolicy.Need.Count(int k) -> Integer.toString(k);
        };
    List<String> words = new ArrayList<>(List.of(need));
    if (policy.need() instanceof JoinPolicy.Need.Count || policy.rest() == JoinPolicy.Rest.CANCEL) {
      words.add(word(policy.rest()));
    }
    boolean shrinks = policy.shortage() == JoinPolicy.Shortage.SHRINK;
    if (shrinks != policy.need() instanceof JoinPolicy.Need.Sync) {
      words.add(word(policy.shortage()));
    }
    if (!policy.merge().text().equals("last")) {
      words.add("merge " + policy.merge().text());
    }
    return String.join(" ", words);
  }

  private static Opcode choice(Pool.Choice choice) {
    List<String> guards = choice.isFree() ? List.of() : guards(choice.guards(), choice.otherwise());
    return new Opcode.XorChoose(ips(choice.targets()), guards);
  }

  private static Opcode loop(int[] code, int at, Program.Pools pools) {
    String policy =
        switch (code[at + 1]) {
          case Code.LOOP_WHILE -> "while " + pools.guards()[code[at + 2]].text();
          case Code.LOOP_UNTIL -> "until " + pools.guards()[code[at + 2]].text();
          default -> "count " + pools.expressions()[code[at + 2]].text();
        };
    return new Opcode.LoopCheck(policy, new Ip(code[at + 4]));
  }

  private static Opcode scope(int side, Pool.Region region, Program.Pools pools) {
    List<String> options = new ArrayList<>();
    String name = pools.names()[region.name()];
    if (side == Code.EXIT) {
      return new Opcode.CancelScope("exit", name, options);
    }
    for (int place : region.holds()) {
      options.add("holding " + pools.places()[place].place().name());
    }
    if (region.marking() >= 0) {
      options.add("marking " + pools.places()[region.marking()].place().name());
    }
    if (region.timeoutMillis() > 0) {
      options.add("timeout " + region.timeoutMillis() + "ms");
    }
    option(options, "onTimeout", region.onTimeout());
    option(options, "catch", region.handler());
    if (region.undo()) {
      options.add("undo");
    }
    if (region.allow() != null) {
      options.add("allow " + region.allow());
    }
    if (region.listener() != null) {
      options.add("notify " + region.listener());
    }
    return new Opcode.CancelScope("enter", name, options);
  }

  private static void option(List<String> options, String name, int address) {
    if (address >= 0) {
      options.add(name + " " + address);
    }
  }

  private static Opcode instances(Pool.Instances spec, Program.Pools pools) {
    InstancePolicy policy = spec.policy();
    List<String> options = new ArrayList<>(List.of("count " + policy.count().text()));
    if (policy.min() > 0 || policy.max() < Integer.MAX_VALUE) {
      options.add("between " + policy.min() + " and " + policy.max());
    }
    if (policy.isOpen()) {
      options.add(policy.open() == InstancePolicy.Open.YES ? "open" : "open until closed");
    }
    switch (policy.need()) {
      case InstancePolicy.Need.All() -> {}
      case InstancePolicy.Need.Count(var count) -> options.add("need " + count.text());
      case InstancePolicy.Need.When(var condition) -> options.add("need " + condition.text());
    }
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      options.add("cancel");
    }
    if (policy.collect() != null) {
      options.add("collect " + policy.collect());
    }
    return new Opcode.MiSpawn(pools.names()[spec.name()], options, new Ip(spec.continuation()));
  }

  private static Opcode await(Pool.Await await, Program.Pools pools) {
    List<String> words = new ArrayList<>();
    List<Ip> targets = new ArrayList<>();
    for (Pool.Alternative alternative : await.alternatives()) {
      targets.add(new Ip(alternative.target()));
      List<String> places = new ArrayList<>();
      for (int place : alternative.places()) {
        places.add(pools.places()[place].place().name());
      }
      words.add(
          switch (alternative.kind()) {
            case TAKE -> "take " + String.join(" & ", places);
            case TEST -> "test " + String.join(" & ", places);
            case AFTER -> "after " + alternative.millis() + "ms";
            case EXPIRED -> "expired";
          });
    }
    return new Opcode.Await(words, targets);
  }

  private static Opcode emission(Pool.Emission emission, Program.Pools pools) {
    String target =
        switch (emission.kind()) {
          case PLACE -> pools.places()[emission.target()].place().name();
          case ADD -> pools.names()[emission.target()] + ".add";
          case CLOSE -> pools.names()[emission.target()] + ".close";
        };
    List<String> payload = new ArrayList<>();
    for (int i = 0; i < emission.keys().length; i++) {
      payload.add(emission.keys()[i] + ":=" + emission.values()[i].text());
    }
    return new Opcode.Emit(target, payload);
  }

  private static Opcode kill(Pool.Kill kill, Program.Pools pools) {
    String name = kill.name() < 0 ? "case" : pools.names()[kill.name()];
    return new Opcode.Kill(name, word(kill.outcome()));
  }

  private static Opcode net(Pool.Net net) {
    List<String> nodes = new ArrayList<>();
    for (int i = 0; i < net.nodes().length; i++) {
      nodes.add(node(net, i));
    }
    String merge = net.merge().text().equals("newest") ? "" : " merge " + net.merge().text();
    return new Opcode.NetEnter(word(net.mode()) + merge, nodes);
  }

  private static String node(Pool.Net net, int index) {
    Pool.Node node = net.nodes()[index];
    if (node.kind() == Pool.JoinKind.MERGE) {
      return node.id() + "@" + node.body();
    }
    String[] sources = new String[node.arcs()];
    for (Pool.Arc arc : net.arcs()) {
      if (arc.target() == index && arc.position() >= 0) {
        int weight = node.weights()[arc.position()];
        sources[arc.position()] = source(net, arc) + (weight > 1 ? " x" + weight : "");
      }
    }
    List<String> cancels = new ArrayList<>();
    for (int cancelled : node.cancels()) {
      cancels.add(net.nodes()[cancelled].id());
    }
    String count =
        node.kind() == Pool.JoinKind.BLOCKING || node.kind() == Pool.JoinKind.CANCELLING
            ? " " + node.k()
            : "";
    return node.id()
        + "@"
        + node.body()
        + " "
        + word(node.kind())
        + count
        + " of "
        + String.join(", ", sources)
        + (cancels.isEmpty() ? "" : " cancel " + cancels)
        + (node.abort() ? " abort" : "");
  }

  private static String source(Pool.Net net, Pool.Arc arc) {
    return arc.source() < 0 ? "start" : net.nodes()[arc.source()].id();
  }

  private static Opcode arrive(Pool.Net net, int index) {
    Pool.Arc arc = net.arcs()[index];
    return new Opcode.Arrive(source(net, arc), net.nodes()[arc.target()].id());
  }

  private static Opcode run(Pool.Run run, Program.Pools pools) {
    List<String> names = new ArrayList<>();
    for (int task : run.tasks()) {
      names.add(task(pools.tasks()[task]));
    }
    return new Opcode.TaskRun(names, new Ip(run.next()));
  }

  private static List<String> guards(@Nullable Guard[] guards, int otherwise) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      words.add(i == otherwise ? "else" : guard == null ? "" : guard.text());
    }
    return words;
  }

  private static List<Ip> ips(int[] addresses) {
    List<Ip> ips = new ArrayList<>();
    for (int address : addresses) {
      ips.add(new Ip(address));
    }
    return ips;
  }

  private static String targets(List<Ip> targets, List<String> words) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      String word = i < words.size() ? words.get(i) : "";
      parts.add(word.isEmpty() ? targets.get(i).toString() : word + " -> " + targets.get(i));
    }
    return "[" + String.join(", ", parts) + "]";
  }

  private static String place(Pool.PlaceSlot slot, Program.Pools pools) {
    Place place = slot.place();
    return "place "
        + place.name()
        + (slot.definition() < 0 ? "" : " of " + pools.entries()[slot.definition()].name())
        + (place.external() ? " external" : "")
        + (place.lifetime() == Place.Lifetime.TRANSIENT ? " transient" : "")
        + (place.init() > 0 ? " init " + place.init() : "");
  }

  private static String suffix(List<String> words) {
    return words.isEmpty() ? "" : " " + words;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// The word for a loop policy in diagnostics and drawings.
  public static String loop(LoopPolicy policy) {
    return switch (policy) {
      case LoopPolicy.While(var guard) -> "while " + guard.text();
      case LoopPolicy.Until(var guard) -> "until " + guard.text();
      case LoopPolicy.Count(var count) -> "count " + count.text();
    };
  }
}
