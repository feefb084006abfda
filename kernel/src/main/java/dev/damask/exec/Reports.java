package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.task.EffectId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Says what a state waits for, in the words of the workflow.
final class Reports {
  private Reports() {}

  static EffectRequest request(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    Pool.Task task = task(state, token);
    OptionalLong notBefore = wait.retrying ? OptionalLong.of(wait.due) : OptionalLong.empty();
    return new EffectRequest(
        new TokenId(token.id),
        new EffectId(wait.effect),
        task,
        token.context,
        wait.attempt,
        notBefore,
        label(token.frame),
        allowed(state, token.frame),
        isUndoing(token.frame),
        wait.spec);
  }

  /// What all scopes around a frame allow; null when none of them says.
  private static @Nullable List<String> allowed(ExecState state, Frame from) {
    List<String> allowed = null;
    for (Frame frame = from; frame != null; frame = frame.parent) {
      List<String> own =
          frame.kind == Frame.Kind.REGION
              ? state.program.pools().regions()[frame.spec].allow()
              : null;
      if (own != null) {
        allowed = allowed == null ? own : allowed.stream().filter(own::contains).toList();
      }
    }
    return allowed;
  }

  private static boolean isUndoing(Frame from) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        return true;
      }
    }
    return false;
  }

  static Pool.Task task(ExecState state, Token token) {
    return state.program.pools().tasks()[state.program.raw().code()[token.ip + 1]];
  }

  static ProcessView process(Token token) {
    Wait wait = token.wait;
    boolean held = token.state == Token.State.HELD;
    Pool.Step step = Groups.group(token.frame).processes.steps()[token.node];
    Frame awaited = wait == null ? null : wait.group;
    return new ProcessView(
        Groups.number(token),
        java.util.Objects.requireNonNull(token.process).parent(),
        step.id(),
        token.ip != step.gate(),
        held && wait != null && wait.due != Timers.NEVER
            ? OptionalLong.of(wait.due)
            : OptionalLong.empty(),
        Groups.group(token.frame).join < 0 ? 0 : token.frame.id,
        awaited == null ? 0 : awaited.id,
        awaited == null ? List.of() : sources(Groups.group(awaited), false),
        awaited == null ? List.of() : sources(Groups.group(awaited), true),
        token.context);
  }

  private static List<String> sources(GroupState group, boolean onlyDelivered) {
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < group.got.length; i++) {
      if (!onlyDelivered || group.got[i] != null) {
        steps.add(group.processes.steps()[group.spec().from()[i]].id());
      }
    }
    return steps;
  }

  /// The instances around a frame, outermost first, such as `2.1`.
  static String label(Frame frame) {
    String label = "";
    for (Frame each = frame; each != null; each = each.parent) {
      if (each.kind == Frame.Kind.INSTANCE) {
        label = label.isEmpty() ? Integer.toString(each.spec) : each.spec + "." + label;
      }
    }
    return label;
  }

  /// The external places somebody waits for.
  static List<String> places(ExecState state) {
    TreeSet<String> names = new TreeSet<>();
    if (state.awaits != null) {
      for (Token token : state.awaits.values()) {
        eachPlace(
            state,
            token,
            place -> {
              if (place.place().external()) {
                names.add(place.place().name());
              }
            });
      }
    }
    return List.copyOf(names);
  }

  /// The places a waiting token waits for, as they were declared.
  static List<Pool.PlaceSlot> slots(ExecState state, Token token) {
    List<Pool.PlaceSlot> slots = new ArrayList<>();
    eachPlace(state, token, slots::add);
    return slots;
  }

  /// The places a waiting token waits for, as they are.
  static List<PlaceState> awaited(ExecState state, Token token) {
    List<PlaceState> places = new ArrayList<>();
    Pool.PlaceSlot[] slots = state.program.pools().places();
    eachPlace(
        state,
        token,
        slot -> {
          for (int index = 0; index < slots.length; index++) {
            if (slots[index] == slot) {
              places.add(Places.at(state, token.frame, slots, index));
            }
          }
        });
    return places;
  }

  private static void eachPlace(
      ExecState state, Token token, java.util.function.Consumer<Pool.PlaceSlot> action) {
    int[] code = state.program.raw().code();
    Pool.PlaceSlot[] slots = state.program.pools().places();
    if (code[token.ip] == Code.AWAIT) {
      for (var alternative : state.program.pools().awaits()[code[token.ip + 1]].alternatives()) {
        for (int place : alternative.places()) {
          action.accept(slots[place]);
        }
      }
    } else {
      for (int place : state.program.pools().regions()[code[token.ip + 2]].holds()) {
        action.accept(slots[place]);
      }
    }
  }

  /// One line for everything that keeps a deadlocked case from moving.
  static List<String> deadlock(ExecState state) {
    List<String> lines = new ArrayList<>();
    if (state.awaits != null) {
      for (Token token : state.awaits.values()) {
        TreeSet<String> names = new TreeSet<>();
        eachPlace(state, token, slot -> names.add(slot.place().name()));
        lines.add(
            "token t"
                + token.id
                + " at "
                + state.program.source().at(token.ip)
                + " waits for "
                + String.join(", ", names)
                + ", which can never be marked");
      }
    }
    queues(state, state.root, lines);
    return lines;
  }

  private static void queues(ExecState state, Frame root, List<String> lines) {
    Deque<Frame> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      frame.childList().forEach(open::push);
      NetState net = frame.net;
      if (net == null) {
        continue;
      }
      Pool.Net spec = state.program.pools().nets()[frame.spec];
      for (int node = 0; node < net.joins.length; node++) {
        NetState.Arcs arcs = net.joins[node];
        if (arcs != null && (arcs.isMarked() || arcs.seenCount() > 0)) {
          lines.add(join(spec, node, arcs));
        }
      }
    }
  }

  private static String join(Pool.Net net, int node, NetState.Arcs arcs) {
    List<String> there = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (Pool.Arc arc : net.arcs()) {
      if (arc.target() == node && arc.position() >= 0) {
        String source = arc.source() < 0 ? "start" : net.nodes()[arc.source()].id();
        boolean marked =
            !arcs.queues[arc.position()].isEmpty() || arcs.seen[arc.position()] != null;
        (marked ? there : missing).add(source);
      }
    }
    return "the join of node '"
        + net.nodes()[node].id()
        + "' has tokens from "
        + there
        + " and waits for "
        + missing
        + ", from which none can come";
  }
}
