package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.NetState;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Undoing;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What a checker of all behaviours needs to see of a state, and the one thing it does that time
/// does otherwise: it fires a timer.
///
/// A checker writes states by [#canonical], reads them back by [StateCodec], and works on states
/// that were read back: in those, ids are canonical numbers.
public final class Exploration {
  private Exploration() {}

  /// The control part of a state, without contexts and without anything that only tells how it came
  /// about. Two states with the same bytes have the same future, data aside. The bytes can be
  /// decoded; all timers are due after one millisecond then.
  public static byte[] canonical(ExecState state) {
    return new StateWriter(state, new Canonical(state)).write();
  }

  /// The number each token has in the canonical form, by its id.
  public static Map<Integer, Integer> tokenNumbers(ExecState state) {
    return new Canonical(state).tokenNumbers();
  }

  /// The number each open frame has in the canonical form, by its id.
  public static Map<Integer, Integer> frameNumbers(ExecState state) {
    Canonical canonical = new Canonical(state);
    Map<Integer, Integer> numbers = new TreeMap<>();
    canonical.frames().forEach(frame -> numbers.put(frame.id, canonical.id(frame)));
    return numbers;
  }

  /// A token: where it is and whether it can move.
  ///
  /// @param address of the instruction it is at
  /// @param end what it ends when it reaches the end of its code
  public record TokenView(int id, int address, boolean isReady, String label, End end) {}

  /// The tokens in the order of their ids.
  public static List<TokenView> tokens(ExecState state) {
    List<TokenView> views = new ArrayList<>();
    for (Frame frame : frames(state)) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        boolean ready = token.state == Token.State.READY;
        views.add(new TokenView(token.id, token.ip, ready, frame.label(), ends(frame)));
      }
    }
    views.sort(Comparator.comparingInt(TokenView::id));
    return views;
  }

  private static List<Frame> frames(ExecState state) {
    List<Frame> frames = new ArrayList<>();
    if (!state.root.closed) {
      frames.add(state.root);
    }
    for (int i = 0; i < frames.size(); i++) {
      for (Frame child = frames.get(i).firstChild; child != null; child = child.next) {
        frames.add(child);
      }
    }
    return frames;
  }

  /// A timer that runs: of a token that waits, or of a scope.
  ///
  /// @param id of the token or of the frame
  /// @param due when it would fire by itself
  public record TimerView(boolean isScope, int id, int address, long due, int order) {}

  /// The timers that run.
  public static List<TimerView> timers(ExecState state) {
    List<TimerView> views = new ArrayList<>();
    for (Frame frame : frames(state)) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (token.wait != null && token.wait.due != Timers.NEVER) {
          views.add(new TimerView(false, token.id, token.ip, token.wait.due, token.wait.number));
        }
      }
      if (frame.scope != null && frame.scope.due != Timers.NEVER) {
        int address = state.program.pools().regions()[frame.spec].continuation() - 1;
        views.add(new TimerView(true, frame.id, address, frame.scope.due, frame.scope.dueOrder));
      }
    }
    return views;
  }

  /// Lets a timer fire although its time has not come. The caller then runs the case.
  public static void fire(Machine machine, ExecState state, boolean isScope, int id) {
    state.status = Status.RUNNING;
    for (Frame frame : frames(state)) {
      if (isScope && frame.id == id) {
        machine.cancellation.timeOut(state, frame);
        return;
      }
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (!isScope && token.id == id) {
          new Inputs(machine, state).timer(token);
          return;
        }
      }
    }
    throw new IllegalArgumentException("no token or frame has the id " + id);
  }

  /// How a case ends, or is about to end when its undoing is over.
  ///
  /// @param failure why it fails; null when it is cancelled
  public record CaseEnd(@Nullable Failure failure) {}

  /// How the case ends if it does not complete; empty while it runs and when it completes.
  public static Optional<CaseEnd> end(ExecState state) {
    if (state.status == Status.FAILED) {
      return Optional.of(new CaseEnd(state.failure));
    }
    if (state.status == Status.CANCELLED) {
      return Optional.of(new CaseEnd(null));
    }
    Undoing undoing = state.root.undoing;
    if (undoing == null || state.root.delivered) {
      return Optional.empty();
    }
    return switch (undoing.ending.kind()) {
      case FAIL -> Optional.of(new CaseEnd(undoing.ending.failure()));
      case WITHDRAW -> Optional.of(new CaseEnd(null));
      case COMPLETE, DELIVER, HANDLE, TIMEOUT -> Optional.empty();
    };
  }

  /// Whether a failure of a token would stay in the case: a scope around it handles it, or the
  /// token belongs to an undoing, which continues after a failure.
  public static boolean isHandled(ExecState state, int id) {
    for (Frame frame : frames(state)) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (token.id == id) {
          return isHandled(state, frame);
        }
      }
    }
    return false;
  }

  private static boolean isHandled(ExecState state, Frame from) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      boolean catches =
          frame.kind == Frame.Kind.REGION
              && state.program.pools().regions()[frame.spec].handler() >= 0;
      if (catches || frame.undoing != null) {
        return true;
      }
    }
    return false;
  }

  /// The addresses of the effects whose failure would fail the case, in no order.
  public static List<Integer> unhandledEffects(ExecState state) {
    List<Integer> addresses = new ArrayList<>();
    if (state.effects == null) {
      return addresses;
    }
    for (Token token : state.effects.inOrder()) {
      if (token.state == Token.State.EFFECT && !isHandled(state, token.frame)) {
        addresses.add(token.ip);
      }
    }
    return addresses;
  }

  /// A join that has not fired: the address behind it, and whether it was given up while its
  /// branches still run.
  public record JoinView(int address, boolean isGivenUp) {}

  /// The structured joins that have not fired, the outermost first.
  public static List<JoinView> openJoins(ExecState state) {
    List<JoinView> views = new ArrayList<>();
    for (Frame frame : frames(state)) {
      if (frame.join != null && !frame.join.fired) {
        int address = state.program.pools().forks()[frame.spec].continuation();
        views.add(new JoinView(address, frame.join.aborted));
      }
    }
    return views;
  }

  /// A blocking join in the middle of a round: what it has taken are no tokens any more.
  ///
  /// @param taken how many tokens the round has taken
  public record RoundView(int net, int node, int taken) {}

  /// The blocking joins that have begun a round and have not fired.
  public static List<RoundView> openRounds(ExecState state) {
    List<RoundView> views = new ArrayList<>();
    for (Frame frame : frames(state)) {
      NetState net = frame.net;
      for (int node = 0; net != null && node < net.joins.length; node++) {
        NetState.Arcs arcs = net.joins[node];
        if (arcs != null && arcs.seenCount() > 0 && !arcs.fired) {
          views.add(new RoundView(frame.spec, node, arcs.seenCount()));
        }
      }
    }
    return views;
  }

  /// External places of the case that a token waits for and that hold nothing: only there does a
  /// signal make a difference now.
  public static List<String> wanted(ExecState state) {
    TreeSet<String> names = new TreeSet<>();
    if (state.awaits != null && state.places != null) {
      for (Token token : state.awaits.values()) {
        for (Pool.PlaceSlot slot : Reports.slots(state, token)) {
          boolean ofCase = slot.definition() < 0 && slot.place().external();
          if (ofCase && state.places[slot.slot()].tokens.isEmpty()) {
            names.add(slot.place().name());
          }
        }
      }
    }
    return List.copyOf(names);
  }

  /// The fullest place of the case, in tokens.
  public static int fullestPlace(ExecState state) {
    int most = 0;
    if (state.places != null) {
      for (PlaceState place : state.places) {
        most = Math.max(most, place.tokens.size() + place.marks);
      }
    }
    return most;
  }

  /// Removes the tokens of some places, by their index, wherever these places are open.
  public static void empty(ExecState state, BitSet places) {
    Pool.PlaceSlot[] slots = state.program.pools().places();
    for (int index = places.nextSetBit(0); index >= 0; index = places.nextSetBit(index + 1)) {
      Pool.PlaceSlot slot = slots[index];
      if (slot.definition() < 0 && state.places != null) {
        state.places[index].clear();
      }
      for (Frame frame : slot.definition() < 0 ? List.<Frame>of() : frames(state)) {
        if (frame.kind == Frame.Kind.CALL
            && frame.spec == slot.definition()
            && frame.places != null) {
          frame.places[slot.slot()].clear();
        }
      }
    }
  }

  /// Open sets of instances that take further ones.
  public static List<String> openSets(ExecState state) {
    TreeSet<String> names = new TreeSet<>();
    for (Frame frame : frames(state)) {
      if (frame.set != null && !frame.set.sealed) {
        names.add(state.program.pools().names()[nameOf(state, frame)]);
      }
    }
    return List.copyOf(names);
  }

  /// Open sets of instances that end only when they are closed.
  public static List<String> unclosedSets(Machine machine, ExecState state) {
    TreeSet<String> names = new TreeSet<>();
    for (Frame frame : frames(state)) {
      if (frame.set != null && machine.instances.awaitsClose(frame)) {
        names.add(state.program.pools().names()[nameOf(state, frame)]);
      }
    }
    return List.copyOf(names);
  }

  private static int nameOf(ExecState state, Frame set) {
    return state.program.pools().instances()[set.spec].name();
  }

  /// What a token ends when it reaches the end of its code.
  public sealed interface End {
    /// A branch of a fork, by the index of the fork.
    record Branch(int fork) implements End {}

    /// An instance, by the index of its set.
    record Instance(int set) implements End {}

    record Net(int net) implements End {}

    record Case() implements End {}

    /// Nothing of its own, or an undoing.
    record Other() implements End {}
  }

  private static End ends(Frame frame) {
    if (frame.undoing != null) {
      return new End.Other();
    }
    return switch (frame.kind) {
      case BRANCH -> new End.Branch(frame.outer().spec);
      case INSTANCE -> new End.Instance(frame.outer().spec);
      case NET -> new End.Net(frame.spec);
      case CASE -> new End.Case();
      case REGION, CALL, BLOCK, SET, GROUP -> new End.Other();
    };
  }

  /// Whether the next move of a process instance makes no difference to any other: it begins where
  /// no join can stop it any more, or its evaluation can do nothing but end it.
  public static boolean isPlainProcess(ExecState state, int id) {
    for (Frame frame : frames(state)) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (token.id == id && frame.group != null) {
          return GroupState.isRunning(token) ? onlyEnds(frame.group, token) : isSafe(frame.group);
        }
      }
    }
    return false;
  }

  private static boolean isSafe(GroupState group) {
    return group.join < 0 || !group.spec().kills();
  }

  private static boolean onlyEnds(GroupState group, Token token) {
    Pool.FreeSteps free = group.processes.free();
    Pool.Step step = group.processes.steps()[token.node];
    boolean isLeaf = isEmpty(step.valid()) && isEmpty(step.invalid());
    boolean isDecided = group.join < 0 || group.closed;
    return free != null
        && !free.canCancel()
        && isDecided
        && (isLeaf || (group.join >= 0 && group.isShut()));
  }

  private static boolean isEmpty(Pool.Branch branch) {
    return branch.spawns().length == 0 && branch.join() < 0;
  }

  /// Whether an arrival at an arc only adds a token to a queue, or moves on by itself.
  public static boolean isPlainArrival(ExecState state, int address) {
    int[] code = state.program.raw().code();
    if (code[address] != Code.ARRIVE) {
      return false;
    }
    Pool.Net net = state.program.pools().nets()[code[address + 1]];
    Pool.JoinKind kind = net.nodes()[net.arcs()[code[address + 2]].target()].kind();
    return kind == Pool.JoinKind.MERGE || kind == Pool.JoinKind.AND;
  }
}
