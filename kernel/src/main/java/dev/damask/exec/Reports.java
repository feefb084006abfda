package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.NetState;
import dev.damask.state.PlaceState;
import dev.damask.state.Token;
import dev.damask.state.WaitNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntFunction;

/// Returns what a state waits for, in the words of the workflow.
final class Reports {
  private Reports() {}

  /// The external places that tokens wait for.
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

  /// The names of the tasks, external places and open sets that a case waits for, each once, in
  /// order.
  static List<String> waitingFor(Machine machine, ExecState state) {
    TreeSet<String> names = new TreeSet<>(openSets(machine, state));
    if (state.effects != null) {
      names.addAll(state.effects.names(address -> List.of(taskAt(state, address))));
    }
    names.addAll(awaited(state));
    return List.copyOf(names);
  }

  private static String taskAt(ExecState state, int address) {
    return state.program.pools().tasks()[state.program.raw().code()[address + 1]].name();
  }

  private static Collection<String> awaited(ExecState state) {
    if (state.awaits == null || state.awaits.isEmpty()) {
      return List.of();
    }
    IntFunction<List<String>> namesAt = address -> externalAt(state, address);
    if (state.awaitNames == null && state.awaits.size() > WaitNames.COUNTED_MIN) {
      WaitNames counts = new WaitNames(namesAt);
      state.awaits.values().forEach(token -> counts.add(token.ip));
      state.awaitNames = counts;
    }
    if (state.awaitNames != null) {
      return state.awaitNames.names();
    }
    TreeSet<Integer> found = new TreeSet<>();
    state.awaits.values().forEach(token -> found.add(token.ip));
    return WaitNames.of(found, namesAt);
  }

  private static List<String> externalAt(ExecState state, int address) {
    List<String> names = new ArrayList<>();
    eachPlace(
        state,
        address,
        place -> {
          if (place.place().external() && !names.contains(place.place().name())) {
            names.add(place.place().name());
          }
        });
    return names;
  }

  /// The names of the sets that wait to be closed.
  static List<String> openSets(Machine machine, ExecState state) {
    if (state.openSets == 0) {
      return List.of();
    }
    TreeSet<String> names = new TreeSet<>();
    Deque<Frame> open = new ArrayDeque<>();
    open.push(state.root);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      if (frame.set != null && machine.instances.awaitsClose(frame)) {
        names.add(machine.pools.names()[machine.pools.instances()[frame.spec].name()]);
      }
      frame.childList().forEach(open::push);
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
    eachPlace(state, token.ip, action);
  }

  private static void eachPlace(
      ExecState state, int address, java.util.function.Consumer<Pool.PlaceSlot> action) {
    int[] code = state.program.raw().code();
    Pool.PlaceSlot[] slots = state.program.pools().places();
    if (code[address] == Code.AWAIT) {
      for (var alternative : state.program.pools().awaits()[code[address + 1]].alternatives()) {
        for (int place : alternative.places()) {
          action.accept(slots[place]);
        }
      }
    } else {
      for (int place : state.program.pools().regions()[code[address + 2]].holds()) {
        action.accept(slots[place]);
      }
    }
  }

  /// One line for everything that keeps a deadlocked case from moving.
  static List<String> deadlock(ExecState state) {
    List<String> lines = new ArrayList<>();
    if (state.awaits != null) {
      for (Token token : state.awaits.values()) {
        lines.add(
            "token t"
                + token.id
                + " at "
                + state.program.source().at(token.ip)
                + " waits for "
                + wanted(state, token));
      }
    }
    queues(state, state.root, lines);
    return lines;
  }

  /// The places a token waits for, and which of them can never be marked.
  private static String wanted(ExecState state, Token token) {
    TreeSet<String> all = new TreeSet<>();
    TreeSet<String> never = new TreeSet<>();
    Pool.PlaceSlot[] slots = state.program.pools().places();
    eachPlace(
        state,
        token,
        slot -> {
          all.add(slot.place().name());
          int index = List.of(slots).indexOf(slot);
          boolean marked = !Places.at(state, token.frame, slots, index).tokens.isEmpty();
          if (!slot.place().external() && !marked) {
            never.add(slot.place().name());
          }
        });
    String names = String.join(", ", all);
    return all.equals(never)
        ? names + ", which can never be marked"
        : names + "; " + String.join(", ", never) + " can never be marked";
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
