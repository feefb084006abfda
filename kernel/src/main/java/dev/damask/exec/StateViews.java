package dev.damask.exec;

import dev.damask.event.StateView;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.NetState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Makes the [StateView] of a state.
final class StateViews {
  private final ExecState state;
  private final Program program;
  private final Program.Pools pools;
  private final List<Frame> frames;

  private StateViews(ExecState state) {
    this.state = state;
    this.program = state.program;
    this.pools = program.pools();
    this.frames = frames(state);
  }

  static StateView of(ExecState state) {
    return new StateViews(state).view();
  }

  /// The oldest tokens, at most so many.
  static List<StateView.Token> tokens(ExecState state, int max) {
    StateViews views = new StateViews(state);
    List<StateView.Token> tokens = new ArrayList<>();
    for (Frame frame : views.frames) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        tokens.add(views.token(token));
      }
    }
    tokens.sort(Comparator.comparingInt(StateView.Token::id));
    return tokens.size() > max ? List.copyOf(tokens.subList(0, max)) : tokens;
  }

  /// The token of an id; null if there is none.
  static @Nullable Token find(ExecState state, int id) {
    for (Frame frame : frames(state)) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (token.id == id) {
          return token;
        }
      }
    }
    return null;
  }

  /// All open frames, parents first.
  static List<Frame> frames(ExecState state) {
    List<Frame> frames = new ArrayList<>();
    if (!state.root.closed) {
      frames.add(state.root);
    }
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
    }
    return frames;
  }

  private StateView view() {
    List<StateView.Token> tokens = new ArrayList<>();
    List<StateView.Join> joins = new ArrayList<>();
    List<StateView.Branch> branches = new ArrayList<>();
    for (Frame frame : frames) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        tokens.add(token(token));
      }
      joins(frame, joins);
      if (frame.kind == Frame.Kind.BRANCH || frame.kind == Frame.Kind.INSTANCE) {
        branches.add(branch(frame));
      }
    }
    tokens.sort(Comparator.comparingInt(StateView.Token::id));
    return new StateView(
        state.status,
        state.steps,
        state.clock,
        state.context(),
        tokens,
        frames.stream().map(this::scope).toList(),
        branches,
        joins,
        places(),
        state.cancelledNames(),
        state.lateFailures(),
        undo());
  }

  /// What is being undone comes before what might be; in both, the newest completion comes first.
  private List<StateView.Undo> undo() {
    List<StateView.Undo> all = new ArrayList<>();
    List<Completed> completed = new ArrayList<>();
    for (Frame frame : frames) {
      if (frame.undoing != null) {
        frame.undoing.rest.forEach(each -> all.add(undo(new Completed(each, frame), true)));
      }
      if (frame.scope != null && frame.scope.undoLog != null) {
        frame.scope.undoLog.forEach(each -> completed.add(new Completed(each, frame)));
      }
    }
    completed.sort(Comparator.comparingLong((Completed each) -> each.entry.order()).reversed());
    completed.forEach(each -> all.add(undo(each, false)));
    return all;
  }

  /// A completed task and the frame that undoes it.
  private record Completed(UndoEntry entry, Frame scope) {}

  private StateView.Undo undo(Completed completed, boolean isBegun) {
    UndoEntry entry = completed.entry;
    return new StateView.Undo(
        pools.tasks()[entry.task()].name(),
        entry.label(),
        program.constructs().task(entry.task()).path().toString(),
        completed.scope.id,
        isBegun);
  }

  private StateView.Token token(Token token) {
    return new StateView.Token(
        token.id,
        token.ip,
        Code.mnemonic(program.raw().code()[token.ip]),
        program.source().at(token.ip).toString(),
        token.frame.id,
        token.frame.label(),
        token.state == Token.State.EFFECT ? token.address(state.program).toString() : "",
        switch (token.state) {
          case READY -> StateView.Activity.READY;
          case EFFECT -> StateView.Activity.EFFECT;
          case AWAIT -> StateView.Activity.AWAIT;
          case QUEUED -> StateView.Activity.QUEUED;
          case HELD -> StateView.Activity.HELD;
          case GONE -> throw new IllegalStateException("a frame holds removed token " + token.id);
        },
        token.context);
  }

  private StateView.Scope scope(Frame frame) {
    long due = frame.scope == null ? Timers.NEVER : frame.scope.due;
    return new StateView.Scope(
        frame.id,
        frame.parent == null ? 0 : frame.parent.id,
        frame.kind.name().toLowerCase(Locale.ROOT),
        name(frame),
        frame.undoing != null
            ? StateView.Progress.CANCELLING
            : frame.delivered ? StateView.Progress.DELIVERED : StateView.Progress.ACTIVE,
        frame.entry,
        due == Timers.NEVER ? OptionalLong.empty() : OptionalLong.of(due));
  }

  private String name(Frame frame) {
    return switch (frame.kind) {
      case REGION -> pools.names()[pools.regions()[frame.spec].name()];
      case SET -> pools.names()[pools.instances()[frame.spec].name()];
      case CALL -> pools.entries()[frame.spec].name();
      case CASE, BLOCK, BRANCH, INSTANCE, NET, GROUP -> "";
    };
  }

  private StateView.Branch branch(Frame frame) {
    Frame around = frame.outer();
    JoinCounter join = around.join;
    int number = join == null ? frame.spec : join.selected[frame.spec];
    List<Integer> tokens = new ArrayList<>();
    for (Frame each : frames) {
      if (each.isWithin(frame)) {
        for (Token token = each.firstToken; token != null; token = token.next) {
          tokens.add(token.id);
        }
      }
    }
    return new StateView.Branch(frame.id, around.id, number, frame.delivered, tokens);
  }

  private void joins(Frame frame, List<StateView.Join> joins) {
    JoinCounter join = frame.join;
    InstanceSet set = frame.set;
    NetState net = frame.net;
    GroupState group = frame.group;
    if (join != null) {
      JoinPolicy policy = Objects.requireNonNull(pools.forks()[frame.spec].policy());
      int need = policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : join.selected.length;
      List<Context> got = received(join.got);
      String place = place(Code.PAR_FORK, frame);
      joins.add(new StateView.Join(frame.id, place, "", policy.toString(), got.size(), need, got));
    }
    if (set != null) {
      int need = set.need < 0 ? set.made : (int) Math.min(set.need, Integer.MAX_VALUE);
      String policy = pools.instances()[frame.spec].policy().need().toString();
      joins.add(
          new StateView.Join(
              frame.id,
              place(Code.MI_SPAWN, frame),
              name(frame),
              policy,
              set.got.size(),
              need,
              set.results()));
    }
    if (net != null) {
      Pool.Node[] nodes = pools.nets()[frame.spec].nodes();
      for (int i = 0; i < nodes.length; i++) {
        NetState.Arcs arcs = net.joins[i];
        if (arcs != null) {
          joins.add(join(frame, nodes[i], arcs));
        }
      }
    }
    if (group != null && group.isOpen()) {
      String step = group.processes.steps()[group.spec().target()].id();
      int need = group.spec().need();
      List<Context> got = received(group.got);
      joins.add(new StateView.Join(frame.id, "", step, "group", group.gotCount, need, got));
    }
  }

  /// The path of the term that a frame activates.
  private String place(int operation, Frame frame) {
    return program.constructs().of(operation, frame.spec).path().toString();
  }

  private StateView.Join join(Frame frame, Pool.Node node, NetState.Arcs arcs) {
    List<Context> results = received(arcs.seen);
    for (var queue : arcs.queues) {
      queue.forEach(token -> results.add(token.context));
    }
    int required =
        switch (node.kind()) {
          case AND -> Arrays.stream(node.weights()).sum();
          case BLOCKING, CANCELLING -> node.k();
          case OR, MERGE -> 1;
        };
    String policy = node.kind().name().toLowerCase(Locale.ROOT);
    String place = place(Code.NET_ENTER, frame) + ".graph.nodes." + node.id() + ".do";
    return new StateView.Join(
        frame.id, place, node.id(), policy, results.size(), required, results);
  }

  private static List<Context> received(@org.jspecify.annotations.Nullable Context[] contexts) {
    List<Context> received = new ArrayList<>();
    for (Context context : contexts) {
      if (context != null) {
        received.add(context);
      }
    }
    return received;
  }

  private TreeMap<String, Integer> places() {
    TreeMap<String, Integer> places = new TreeMap<>();
    for (Pool.PlaceSlot slot : pools.places()) {
      if (slot.definition() < 0 && state.places != null) {
        String name = slot.place().name();
        places.put(name, state.marking(name));
      }
    }
    return places;
  }
}
