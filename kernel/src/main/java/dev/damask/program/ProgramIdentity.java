package dev.damask.program;

import dev.damask.task.Delivery;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The text that the program hash covers, version 1. Stored cases are found by this hash, so the
/// bytes written for a workflow never change, whatever a listing or a `toString` prints.
///
/// Everything is written here, field by field, with words of its own. A parameter or limit that
/// this version does not know is written only where it differs from its default. A test fails when
/// a program gets a component that is not accounted for.
final class ProgramIdentity {
  private static final String[] MNEMONICS = {
    "SEQ_ENTER",
    "SEQ_NEXT",
    "TASK_EXEC",
    "EFFECT_YIELD",
    "PAR_FORK",
    "JOIN_WAIT",
    "XOR_CHOOSE",
    "LOOP_CHECK",
    "LOOP_BACK",
    "CANCEL_SCOPE",
    "MI_SPAWN",
    "AWAIT",
    "EMIT",
    "KILL",
    "CALL",
    "RET",
    "NET_ENTER",
    "ARRIVE",
    "NET_END",
    "DONE",
    "GROUP_ENTER",
    "STEP_GATE",
    "SPAWN"
  };

  private final StringBuilder out = new StringBuilder();
  private final int[] code;
  private final Program.Pools pools;

  private ProgramIdentity(int[] code, Program.Pools pools) {
    this.code = code;
    this.pools = pools;
  }

  /// The canonical text of a raw program.
  static String text(
      String name, Mode mode, Context context, Limits limits, int[] code, Program.Pools pools) {
    ProgramIdentity identity = new ProgramIdentity(code, pools);
    identity.out.append("workflow ").append(name).append(' ').append(word(mode)).append('\n');
    for (Pool.PlaceSlot slot : pools.places()) {
      identity.out.append(identity.place(slot)).append('\n');
    }
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      identity.line(at);
    }
    identity.names();
    identity.out.append(value(context));
    identity.limits(limits);
    return identity.out.toString();
  }

  private String place(Pool.PlaceSlot slot) {
    Place place = slot.place();
    return "place "
        + place.name()
        + (slot.definition() < 0 ? "" : " of " + pools.entries()[slot.definition()].name())
        + (place.external() ? " external" : "")
        + (place.lifetime() == Place.Lifetime.TRANSIENT ? " transient" : "")
        + (place.init() > 0 ? " init " + place.init() : "");
  }

  private void line(int at) {
    String address = Integer.toString(at);
    out.repeat(' ', Math.max(0, 4 - address.length())).append(address).append(": ");
    out.append((MNEMONICS[code[at]] + " " + operands(at)).strip()).append('\n');
  }

  private String operands(int at) {
    return switch (code[at]) {
      case Code.SEQ_NEXT, Code.LOOP_BACK -> Integer.toString(code[at + 1]);
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> task(pools.tasks()[code[at + 1]]);
      case Code.PAR_FORK -> fork(pools.forks()[code[at + 1]]);
      case Code.JOIN_WAIT -> policy(pools.forks()[code[at + 1]].policy());
      case Code.XOR_CHOOSE -> choice(pools.choices()[code[at + 1]]);
      case Code.LOOP_CHECK -> loop(at) + " exit " + code[at + 4];
      case Code.CANCEL_SCOPE -> scope(code[at + 1], pools.regions()[code[at + 2]]);
      case Code.MI_SPAWN -> instances(pools.instances()[code[at + 1]]);
      case Code.AWAIT -> await(pools.awaits()[code[at + 1]]);
      case Code.EMIT -> emission(pools.emissions()[code[at + 1]]);
      case Code.KILL -> kill(pools.kills()[code[at + 1]]);
      case Code.CALL -> {
        Pool.Entry entry = pools.entries()[code[at + 1]];
        yield entry.name() + " " + entry.address() + passing(pools.passings().get(at));
      }
      case Code.NET_ENTER -> GraphIdentity.net(pools.nets()[code[at + 1]]);
      case Code.ARRIVE -> GraphIdentity.arrive(pools.nets()[code[at + 1]], code[at + 2]);
      case Code.GROUP_ENTER -> GraphIdentity.steps(pools.processes()[code[at + 1]]);
      case Code.STEP_GATE -> pools.processes()[code[at + 1]].steps()[code[at + 2]].id();
      case Code.SPAWN -> GraphIdentity.spawn(pools.processes()[code[at + 1]], code[at + 2]);
      default -> "";
    };
  }

  /// What a call passes, with lengths, so that no text of an expression looks like another call.
  private static String passing(Pool.@Nullable Passing passing) {
    if (passing == null) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    String[] keys = passing.keys();
    if (keys != null) {
      text.append(" with ").append(keys.length);
      for (int i = 0; i < keys.length; i++) {
        counted(text, keys[i]);
        counted(text, passing.values()[i].text());
      }
    }
    if (passing.result() != null) {
      counted(text.append(" result"), passing.result());
    }
    return text.toString();
  }

  private static void counted(StringBuilder text, String part) {
    text.append(' ').append(part.length()).append(':').append(part);
  }

  private static String task(Pool.Task task) {
    StringBuilder text = new StringBuilder(task.name().isEmpty() ? "-" : task.name());
    if (!task.text().isEmpty() && !task.text().equals(task.name())) {
      text.append(" {").append(task.text()).append('}');
    }
    TaskOptions options = task.options();
    if (options.delivery() != Delivery.KEYED) {
      text.append(" delivery=").append(word(options.delivery()));
    }
    if (options.timeout() != null) {
      text.append(" timeout=").append(options.timeout());
    }
    if (!options.retry().equals(TaskOptions.DEFAULT.retry())) {
      var retry = options.retry();
      text.append(" retry=").append(retry.max()).append('/').append(retry.delay());
      text.append('/').append(retry.backoff()).append('/').append(retry.jitter());
      text.append(retry.on() == Retry.On.ANY ? "" : "/notSent");
      text.append(retry.except().isEmpty() ? "" : "/except " + list(retry.except()));
    }
    if (options.result() != null) {
      text.append(" result=").append(options.result());
    }
    if (options.key() != null) {
      text.append(" key=").append(options.key().text());
    }
    if (options.cost().signum() != 0) {
      text.append(" cost=").append(options.cost().toPlainString());
    }
    if (options.onExhausted() == OnExhausted.PARK) {
      text.append(" onExhausted=park");
    }
    if (task.undo() >= 0) {
      text.append(" undo=").append(task.undo());
    }
    return text.toString();
  }

  private static String word(Delivery delivery) {
    return switch (delivery) {
      case KEYED -> "keyed";
      case AT_MOST_ONCE -> "at_most_once";
      case READ -> "read";
      case EXACTLY_ONCE -> "exactly_once";
    };
  }

  static String word(Mode mode) {
    return switch (mode) {
      case IMPLICIT -> "implicit";
      case EXPLICIT -> "explicit";
    };
  }

  private static String fork(Pool.Fork fork) {
    boolean guarded = fork.isGuarded() || fork.otherwise() >= 0;
    List<String> guards = guarded ? guards(fork.guards(), fork.otherwise()) : List.of();
    String join = policy(fork.policy());
    return targets(fork.targets(), guards) + (join.isEmpty() ? "" : " join " + join);
  }

  private static String choice(Pool.Choice choice) {
    List<String> guards = choice.isFree() ? List.of() : guards(choice.guards(), choice.otherwise());
    return targets(choice.targets(), guards);
  }

  private static String policy(@Nullable JoinPolicy policy) {
    if (policy == null) {
      return "";
    }
    List<String> words = new ArrayList<>();
    words.add(
        switch (policy.need()) {
          case JoinPolicy.Need.All() -> "all";
          case JoinPolicy.Need.Sync() -> "sync";
          case JoinPolicy.Need.Count(int k) -> Integer.toString(k);
        });
    if (policy.need() instanceof JoinPolicy.Need.Count || policy.rest() == JoinPolicy.Rest.CANCEL) {
      words.add(policy.rest() == JoinPolicy.Rest.CANCEL ? "cancel" : "drain");
    }
    boolean shrinks = policy.shortage() == JoinPolicy.Shortage.SHRINK;
    if (shrinks != policy.need() instanceof JoinPolicy.Need.Sync) {
      words.add(shrinks ? "shrink" : "abort");
    }
    if (policy.merge() != Merge.Standard.LAST) {
      words.add("merge " + merge(policy.merge()));
    }
    return String.join(" ", words);
  }

  static String merge(Merge merge) {
    return switch (merge) {
      case Merge.Standard.LAST -> "last";
      case Merge.Standard.FIRST -> "first";
      case Merge.Standard.FAIL -> "fail";
      case Merge.Standard.COLLECT -> "collect";
      case Merge.Standard.OVERLAY -> "overlay";
      case Merge.Standard.NEWEST -> "newest";
      case Merge.Collect(var keys) -> "collect " + list(keys);
      case Merge.Custom(var name, var _) -> "function " + name;
    };
  }

  private String loop(int at) {
    return switch (code[at + 1]) {
      case Code.LOOP_WHILE -> "while " + pools.guards()[code[at + 2]].text();
      case Code.LOOP_UNTIL -> "until " + pools.guards()[code[at + 2]].text();
      default -> "count " + pools.expressions()[code[at + 2]].text();
    };
  }

  private String scope(int side, Pool.Region region) {
    String name = pools.names()[region.name()];
    if (side == Code.EXIT) {
      return "exit " + name;
    }
    List<String> options = new ArrayList<>();
    for (int place : region.holds()) {
      options.add("holding " + pools.places()[place].place().name());
    }
    if (region.marking() >= 0) {
      options.add("marking " + pools.places()[region.marking()].place().name());
    }
    if (region.timeoutMillis() > 0) {
      options.add("timeout " + region.timeoutMillis() + "ms");
    }
    if (region.onTimeout() >= 0) {
      options.add("onTimeout " + region.onTimeout());
    }
    if (region.handler() >= 0) {
      options.add("catch " + region.handler());
    }
    if (region.undo()) {
      options.add("undo");
    }
    if (region.allow() != null) {
      options.add("allow " + list(region.allow()));
    }
    if (region.listener() != null) {
      options.add("notify " + region.listener());
    }
    return "enter " + name + suffix(options);
  }

  private String instances(Pool.Instances spec) {
    InstancePolicy policy = spec.policy();
    List<String> options = new ArrayList<>(List.of("count " + policy.count().text()));
    if (policy.min() > 0 || policy.max() < Integer.MAX_VALUE) {
      options.add("between " + policy.min() + " and " + policy.max());
    }
    switch (policy.open()) {
      case NO -> {}
      case YES -> options.add("open");
      case UNTIL_CLOSED -> options.add("open until closed");
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
    return pools.names()[spec.name()] + suffix(options) + " exit " + spec.continuation();
  }

  private String await(Pool.Await await) {
    List<String> words = new ArrayList<>();
    int[] targets = new int[await.alternatives().size()];
    for (int i = 0; i < targets.length; i++) {
      Pool.Alternative alternative = await.alternatives().get(i);
      targets[i] = alternative.target();
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
    return targets(targets, words);
  }

  private String emission(Pool.Emission emission) {
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
    return target + suffix(payload);
  }

  private String kill(Pool.Kill kill) {
    String name = kill.name() < 0 ? "case" : pools.names()[kill.name()];
    return name
        + " as "
        + switch (kill.outcome()) {
          case WITHDRAW -> "withdraw";
          case COMPLETE -> "complete";
          case BREAK -> "break";
        };
  }

  private static List<String> guards(@Nullable Guard[] guards, int otherwise) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      words.add(i == otherwise ? "else" : guard == null ? "" : guard.text());
    }
    return words;
  }

  private static String targets(int[] targets, List<String> words) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < targets.length; i++) {
      String word = i < words.size() ? words.get(i) : "";
      parts.add(word.isEmpty() ? Integer.toString(targets[i]) : word + " -> " + targets[i]);
    }
    return list(parts);
  }

  static String suffix(List<String> words) {
    return words.isEmpty() ? "" : " " + list(words);
  }

  static String list(List<String> words) {
    return "[" + String.join(", ", words) + "]";
  }

  /// Every name and text with its length. The instructions alone are ambiguous: a task may be named
  /// like another one followed by its options.
  private void names() {
    List<String> all = new ArrayList<>(List.of(pools.names()));
    for (Pool.Task task : pools.tasks()) {
      all.add(task.name());
      all.add(task.text());
    }
    for (Guard guard : pools.guards()) {
      all.add(guard.text());
    }
    for (Pool.Fork fork : pools.forks()) {
      all.addAll(guards(fork.guards(), fork.otherwise()));
    }
    for (Pool.Choice choice : pools.choices()) {
      all.addAll(guards(choice.guards(), choice.otherwise()));
    }
    for (Pool.PlaceSlot slot : pools.places()) {
      all.add(slot.place().name());
    }
    for (Pool.Net net : pools.nets()) {
      for (Pool.Node node : net.nodes()) {
        all.add(node.id());
      }
    }
    for (Pool.Processes processes : pools.processes()) {
      for (Pool.Step step : processes.steps()) {
        all.add(step.id());
      }
    }
    for (Pool.Fork fork : pools.forks()) {
      if (fork.policy() != null && fork.policy().merge() instanceof Merge.Collect(var keys)) {
        all.addAll(keys);
      }
    }
    all.forEach(each -> out.append(each.length()).append(':').append(each).append('\n'));
  }

  private void limits(Limits limits) {
    out.append("Limits[nodes=").append(limits.nodes());
    out.append(", branches=").append(limits.branches());
    out.append(", callDepth=").append(limits.callDepth());
    out.append(", instances=").append(limits.instances());
    out.append(", openEffects=").append(limits.openEffects());
    out.append(", placeTokens=").append(limits.placeTokens());
    out.append(", contextBytes=").append(limits.contextBytes());
    out.append(", steps=").append(limits.steps());
    if (limits.bufferedBytes() != Limits.DEFAULT.bufferedBytes()) {
      out.append(", bufferedBytes=").append(limits.bufferedBytes());
    }
    if (limits.resultBytes() != Limits.DEFAULT.resultBytes()) {
      out.append(", resultBytes=").append(limits.resultBytes());
    }
    out.append(']');
  }

  /// A value as version 1 writes it: decimals without trailing zeros, maps sorted by key.
  private static String value(@Nullable Object value) {
    return switch (value) {
      case Context context -> {
        TreeMap<String, @Nullable Object> entries = new TreeMap<>();
        context.forEach(entries::put);
        yield entries(entries);
      }
      case Map<?, ?> map -> entries(map);
      case List<?> items -> list(items.stream().map(ProgramIdentity::value).toList());
      case BigDecimal number -> number.signum() == 0 ? "0" : number.stripTrailingZeros().toString();
      case null -> "null";
      default -> value.toString(); // boolean, long, double, string, bytes
    };
  }

  private static String entries(Map<?, ?> map) {
    List<String> entries = new ArrayList<>();
    map.forEach((key, each) -> entries.add(key + "=" + value(each)));
    return "{" + String.join(", ", entries) + "}";
  }
}
