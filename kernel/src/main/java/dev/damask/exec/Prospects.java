package dev.damask.exec;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.TextUnits;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.NetClosure;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.term.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the open frames of a state can still do, as part of the possible-arrival analysis.
///
/// Five facts about a frame, each found at most once:
///
/// - *live*: something inside can move, or a token that can move can end it. The node of the
///   surrounding net it was opened in then counts as being executed.
/// - *leaves*: a token can leave it into the frame around, through its exit or a handler.
/// - *dies*: it can be emptied without a token leaving; the join around has one part less to wait
///   for.
/// - *ends*: its content can be cancelled; the undo terms of completed tasks inside then run.
/// - *grows*: an instance can be added to the set.
///
/// A frame around the join or wait that is decided leaves only in ways in which the latter stays.
final class Prospects {
  private final Arrivals arrivals;
  private final Machine machine;
  private final ExecState state;
  private final Program.Pools pools;
  private final List<Frame> frames = new ArrayList<>();
  private final BitSet around = new BitSet();

  /// Frames around the decided one whose part that contains it has delivered and only drains.
  final BitSet drains = new BitSet();

  private final BitSet live = new BitSet();
  private final BitSet leaves = new BitSet();
  private final BitSet dies = new BitSet();
  private final BitSet ends = new BitSet();
  final BitSet grows = new BitSet();
  private final Set<Token> moving = new HashSet<>();

  /// By frame: its parts (tokens and open children), and how many of them can leave, can die, and
  /// can do either.
  final int[] parts;

  final int[] able;
  final int[] dying;
  final int[] settled;
  private final @Nullable NetClosure[] closures;
  private final Deque<Frame> changed = new ArrayDeque<>();
  private final BitSet listed = new BitSet();
  private final Map<Frame, List<Runnable>> whenLive = new HashMap<>();
  private final Set<List<Integer>> kills = new HashSet<>();
  private final FrameRules rules;

  /// By unit and frame the outermost activation of the unit around the frame; the root if there is
  /// none.
  private final Map<Integer, @Nullable Frame[]> outermost = new HashMap<>();

  private long visited;

  Prospects(Arrivals arrivals) {
    this.arrivals = arrivals;
    this.machine = arrivals.machine;
    this.state = arrivals.state;
    this.pools = machine.program.pools();
    this.rules = new FrameRules(this, pools);
    frames.add(state.root);
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      frame.order = i;
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        frames.add(child);
      }
    }
    parts = new int[frames.size()];
    able = new int[frames.size()];
    dying = new int[frames.size()];
    settled = new int[frames.size()];
    closures = new NetClosure[frames.size()];
    Frame inner = arrivals.question.frame();
    around.set(inner.order);
    for (Frame outer = inner.parent; outer != null; outer = outer.parent) {
      around.set(outer.order);
      if (inner.delivered) {
        drains.set(outer.order);
      }
      inner = outer;
    }
  }

  /// Enters the present state.
  void begin() {
    for (Frame frame : frames) {
      parts[frame.order] = frame.tokens;
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        parts[frame.order] += child.delivered ? 0 : 1;
      }
      if (frame.net != null) {
        BitSet blocked =
            frame == arrivals.question.frame() ? arrivals.question.blocked() : new BitSet();
        closures[frame.order] =
            new NetClosure(
                pools.nets()[frame.spec], frame.net, blocked, node -> possible(frame, node));
      }
    }
    for (Frame frame : frames) {
      if (frame.net != null) {
        closure(frame).begin();
      }
      markHeld(frame);
      if (frame.set != null && machine.instances.awaitsClose(frame)) {
        // As if it waited for an external place: a caller may close it.
        change(frame);
        if (!isAround(frame)) {
          live(frame);
        }
      }
      if (frame.scope != null && frame.scope.due != Timers.NEVER) {
        timeOut(frame);
      }
      for (Token token = frame.firstToken; token != null; token = token.next) {
        arrivals.start(token);
      }
    }
  }

  /// How many frames, tokens, nodes and arcs were visited.
  long visited() {
    long all = visited + frames.size() + (long) state.live;
    for (NetClosure closure : closures) {
      all += closure == null ? 0 : closure.visited();
    }
    return all;
  }

  NetClosure closure(Frame net) {
    return java.util.Objects.requireNonNull(closures[net.order]);
  }

  /// Draws one conclusion from what has changed; returns whether there was something to look at.
  boolean advance() {
    Frame frame = changed.poll();
    if (frame == null) {
      return false;
    }
    listed.clear(frame.order);
    rules.conclude(frame);
    return true;
  }

  private void change(Frame frame) {
    if (!listed.get(frame.order)) {
      listed.set(frame.order);
      changed.add(frame);
    }
  }

  boolean isAround(Frame frame) {
    return around.get(frame.order);
  }

  /// A held place is marked again when the frame that holds it closes.
  private void markHeld(Frame frame) {
    if (frame.scope != null && !frame.scope.held.isEmpty()) {
      for (int place : pools.regions()[frame.spec].holds()) {
        arrivals.mark(place);
      }
    }
  }

  /// A token can move.
  void moves(Token token) {
    if (!moving.add(token)) {
      return;
    }
    Frame frame = token.frame;
    able[frame.order]++;
    settled[frame.order]++;
    change(frame);
    live(frame);
    if (frame.net != null && token.node >= 0) {
      closure(frame).execute(token.node);
    }
  }

  /// A token on an arc is assumed to get on, unless it waits at a join that is decided.
  void queued(Token token) {
    Frame frame = token.frame;
    int node = pools.nets()[frame.spec].arcs()[token.arc].target();
    if (frame != arrivals.question.frame() || !arrivals.question.blocked().get(node)) {
      moves(token);
    }
  }

  /// A node of an open net can be executed.
  private void possible(Frame net, int node) {
    Pool.Node spec = pools.nets()[net.spec].nodes()[node];
    arrivals.reach(spec.body());
    if (spec.cancels().length > 0) {
      clear(net, spec.cancels());
    }
  }

  /// A cancelling join can cancel what is in the nodes of its region.
  private void clear(Frame net, int[] cancels) {
    BitSet region = new BitSet();
    for (int node : cancels) {
      region.set(node);
    }
    for (Token token = net.firstToken; token != null; token = token.next) {
      if (token.node >= 0 && region.get(token.node) && !moving.contains(token)) {
        // Withdrawn: it no longer keeps the net from ending.
        moving.add(token);
        settled[net.order]++;
        dying[net.order]++;
        change(net);
      }
    }
    for (Frame child = net.firstChild; child != null; child = child.next) {
      if (child.node >= 0 && region.get(child.node) && !isAround(child)) {
        end(child);
        die(child);
      }
    }
  }

  /// Something in a frame can move, or a token that can move can end it.
  private void live(Frame from) {
    for (Frame frame = from; frame != null && !live.get(frame.order); frame = frame.parent) {
      live.set(frame.order);
      Frame outer = frame.parent;
      if (outer != null && outer.net != null && frame.node >= 0 && !isAround(frame)) {
        closure(outer).execute(frame.node);
      }
      if (frame.kind == Frame.Kind.REGION && frame.undoing == null && !isAround(frame)) {
        int handler = pools.regions()[frame.spec].handler();
        if (handler >= 0) {
          end(frame);
          leave(frame, handler);
        }
      }
      List<Runnable> waiting = whenLive.remove(frame);
      if (waiting != null) {
        waiting.forEach(Runnable::run);
      }
    }
  }

  /// The content of a frame can be cancelled: undo terms of tasks completed inside can run.
  void end(Frame from) {
    Deque<Frame> open = new ArrayDeque<>();
    open.push(from);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      if (ends.get(frame.order)) {
        continue;
      }
      ends.set(frame.order);
      if (frame.scope != null && frame.scope.undoLog != null) {
        frame.scope.undoLog.forEach(entry -> arrivals.reach(entry.address()));
      }
      if (frame.undoing != null) {
        undo(frame);
      }
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        open.push(child);
      }
    }
  }

  void undo(Frame frame) {
    for (UndoEntry entry : java.util.Objects.requireNonNull(frame.undoing).rest) {
      arrivals.reach(entry.address());
    }
  }

  /// A token can leave a frame and come to an address in the frame around; -1 when it is counted
  /// there and comes to none.
  void leave(Frame frame, int address) {
    if (frame.delivered) {
      return;
    }
    if (address >= 0) {
      arrivals.reach(address);
    }
    if (leaves.get(frame.order)) {
      return;
    }
    leaves.set(frame.order);
    Frame outer = frame.parent;
    if (outer != null) {
      able[outer.order]++;
      settled[outer.order] += dies.get(frame.order) ? 0 : 1;
      change(outer);
      live(outer);
      if (outer.net != null && frame.node >= 0) {
        closure(outer).execute(frame.node);
      }
    }
  }

  void die(Frame frame) {
    if (frame.delivered || dies.get(frame.order)) {
      return;
    }
    dies.set(frame.order);
    Frame outer = frame.parent;
    if (outer != null) {
      dying[outer.order]++;
      settled[outer.order] += leaves.get(frame.order) ? 0 : 1;
      change(outer);
    }
  }

  /// A live position can end the open activations of a name, in one unit or anywhere.
  void kill(Pool.Kill kill, int unit) {
    if (!kills.add(List.of(kill.name(), kill.outcome().ordinal(), unit))) {
      return;
    }
    boolean complete = kill.outcome() != Term.Kill.Outcome.WITHDRAW;
    for (Frame frame : state.named(kill.name()).values()) {
      if (kill.outcome() == Term.Kill.Outcome.BREAK) {
        whenLive(frame, () -> killed(frame, true)); // only a token inside breaks it
        continue;
      }
      Frame scope = unit == TextUnits.ANY ? state.root : unit(frame, unit);
      if (scope == state.root) {
        killed(frame, complete);
      } else if (scope != null) {
        whenLive(scope, () -> killed(frame, complete));
      }
    }
  }

  /// The outermost activation of a unit around a frame; null when there is none. What is found is
  /// kept for every frame on the way, so all searches for a unit visit a frame once.
  private @Nullable Frame unit(Frame from, int unit) {
    @Nullable Frame[] known =
        outermost.computeIfAbsent(unit, key -> new @Nullable Frame[frames.size()]);
    Frame frame = from;
    while (frame != state.root && known[frame.order] == null) {
      visited++;
      frame = frame.outer();
    }
    Frame found = frame == state.root ? state.root : known[frame.order];
    // From the outermost frame inwards, the first activation counts for all frames inside it.
    List<Frame> path = new ArrayList<>();
    for (Frame each = from; each != frame; each = each.outer()) {
      path.add(each);
    }
    for (int i = path.size() - 1; i >= 0; i--) {
      Frame each = path.get(i);
      if (found == state.root && isUnit(each, unit)) {
        found = each;
      }
      known[each.order] = found;
    }
    return found == state.root ? null : found;
  }

  /// Whether a frame is an activation of a unit.
  private boolean isUnit(Frame frame, int unit) {
    return switch (frame.kind) {
      case INSTANCE -> frame.outer().spec == unit;
      case CALL -> machine.units().unitOfDefinition(frame.spec) == unit;
      default -> false;
    };
  }

  private void whenLive(Frame frame, Runnable action) {
    if (live.get(frame.order)) {
      action.run();
    } else {
      whenLive.computeIfAbsent(frame, key -> new ArrayList<>()).add(action);
    }
  }

  private void killed(Frame frame, boolean complete) {
    if (isAround(frame) || frame.undoing != null) {
      return;
    }
    live(frame);
    end(frame);
    if (complete) {
      leave(frame, rules.exit(frame));
    } else {
      die(frame);
    }
  }

  /// The time of a scope can run out.
  private void timeOut(Frame frame) {
    if (isAround(frame) || frame.undoing != null) {
      return;
    }
    live(frame);
    end(frame);
    Pool.Region region = pools.regions()[frame.spec];
    int next = region.onTimeout() >= 0 ? region.onTimeout() : region.handler();
    if (next >= 0) {
      leave(frame, next);
    } // else it fails, and a scope around that is live handles that
  }

  /// A live position can add an instance to the open sets of a name.
  void add(int name, boolean own) {
    eachOpenSet(
        name,
        own,
        frame -> {
          if (!grows.get(frame.order)) {
            grows.set(frame.order);
            arrivals.reach(pools.instances()[frame.spec].body());
            change(frame);
            if (!isAround(frame)) {
              live(frame);
            }
          }
        });
  }

  /// A live position can close the open sets of a name.
  void close(int name, boolean own) {
    eachOpenSet(
        name,
        own,
        frame -> {
          if (!isAround(frame)) {
            live(frame);
          }
        });
  }

  private void eachOpenSet(int name, boolean own, java.util.function.Consumer<Frame> action) {
    for (Frame frame : state.named(name).values()) {
      if (frame.set != null && !frame.set.sealed && !frame.set.fired) {
        if (own) {
          whenLive(frame, () -> action.accept(frame));
        } else {
          action.accept(frame);
        }
      }
    }
  }
}
