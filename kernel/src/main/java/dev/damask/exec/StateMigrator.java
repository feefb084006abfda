package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.exec.Frame.UndoEntry;
import dev.damask.exec.Token.Wait;
import dev.damask.migration.Alignment.Match;
import dev.damask.migration.ConstructMatcher;
import dev.damask.migration.ConstructNames;
import dev.damask.migration.NetShape;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Millis;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes one state anew in the addresses and indexes of another program, as far as they have
/// partners there, and collects why it cannot where they have none.
final class StateMigrator {
  private final ExecState state;
  private final ConstructMatcher pairing;
  private final ConstructTree before;
  private final Program to;
  private final Program.Pools pools;
  private final Program.Pools newPools;
  private final ConstructNames words;
  private final LinkedHashSet<String> reasons = new LinkedHashSet<>();
  private final TreeMap<Integer, Token> tokens = new TreeMap<>();
  private final int[] oldPlaces;
  private int lastWait;

  StateMigrator(ExecState state, ConstructMatcher pairing, Program to) {
    this.state = state;
    this.pairing = pairing;
    this.before = state.program.constructs();
    this.to = to;
    this.pools = state.program.pools();
    this.newPools = to.pools();
    this.words = new ConstructNames(state.program, Mapping.NONE);
    this.oldPlaces = oldPlaces();
    this.lastWait = state.lastWait;
  }

  List<String> reasons() {
    return List.copyOf(reasons);
  }

  /// The state without anything that can be told from its frames and tokens. It is of no use when
  /// there are reasons against it.
  ExecState move() {
    Frame root = copy(state.root, null, 0);
    record Pair(Frame from, Frame to) {}
    List<Pair> open = new ArrayList<>();
    open.add(new Pair(state.root, root));
    for (int i = 0; i < open.size(); i++) {
      Frame from = open.get(i).from();
      Frame to = open.get(i).to();
      for (Frame child = from.firstChild; child != null; child = child.next) {
        Frame moved = frame(child, to);
        to.attach(moved);
        open.add(new Pair(child, moved));
      }
      for (Token token = from.firstToken; token != null; token = token.next) {
        Token moved = token(token, to);
        to.attach(moved);
        tokens.put(moved.id, moved);
      }
      queues(from, to);
    }
    ExecState moved = new ExecState(to, root, state.clock);
    moved.status = state.status;
    moved.steps = state.steps;
    moved.lastId = state.lastId;
    moved.lastWait = lastWait;
    moved.result = state.result;
    moved.failure = state.failure;
    if (newPools.placeCount() > 0) {
      moved.places = places(state.places, -1, newPools.placeCount());
    }
    requirePlaces(state.places, -1);
    return moved;
  }

  private Frame frame(Frame frame, Frame parent) {
    return switch (frame.kind) {
      case CASE -> throw new Invariant.Broken("I6 frames form a tree; " + frame.id);
      case BRANCH, INSTANCE -> copy(frame, parent, frame.spec);
      case REGION -> region(frame, parent);
      case BLOCK -> block(frame, parent);
      case SET -> set(frame, parent);
      case NET -> net(frame, parent);
      case CALL -> call(frame, parent);
      case GROUP -> {
        reasons.add("an orchestration stays with the graph it was started with");
        yield copy(frame, parent, frame.spec);
      }
    };
  }

  private Frame copy(Frame frame, @Nullable Frame parent, int spec) {
    Frame moved = new Frame(frame.id, frame.kind, parent, spec, frame.entry, frame.lineage);
    moved.entryStamps = frame.entryStamps;
    moved.node = frame.node;
    moved.delivered = frame.delivered;
    if (frame.undoing != null) {
      moved.undoing = new Undoing(undos(frame.undoing.rest), frame.undoing.ending);
    }
    return moved;
  }

  /// A frame that a construct opens, with the counters of the token that opened it.
  private @Nullable Frame opened(
      Frame frame, Frame parent, Construct part, @Nullable Construct partner) {
    if (partner == null) {
      return null;
    }
    Frame moved = copy(frame, parent, partner.operand());
    if (!frame.delivered) {
      requireSameLoops(part, partner);
    }
    moved.loops = loops(frame.loops, part);
    return moved;
  }

  private Frame region(Frame frame, Frame parent) {
    Construct part = before.of(Code.CANCEL_SCOPE, frame.spec);
    Construct partner = partner(part, "is open");
    Frame moved = opened(frame, parent, part, partner);
    Frame.Scope scope = java.util.Objects.requireNonNull(frame.scope);
    if (partner == null || moved == null) {
      return copy(frame, parent, 0);
    }
    Pool.Region region = pools.regions()[frame.spec];
    Pool.Region next = newPools.regions()[moved.spec];
    if (!pairing.before().places(region.holds()).equals(pairing.after().places(next.holds()))) {
      refuse(part, "is open", "holds other places: " + pairing.after().places(next.holds()));
    }
    if (!marks(pairing.before(), region).equals(marks(pairing.after(), next))) {
      refuse(part, "is open", "marks other places: " + marks(pairing.after(), next));
    }
    Frame.Scope to = new Frame.Scope();
    to.held = scope.held;
    to.due = next.timeoutMillis() > 0 ? scope.due : Timers.NEVER;
    to.dueOrder = scope.dueOrder;
    boolean runs = frame.undoing == null && !frame.delivered;
    if (region.timeoutMillis() == 0 && next.timeoutMillis() > 0 && runs) {
      to.due = Timers.after(state.clock, next.timeoutMillis());
      to.dueOrder = ++lastWait;
    }
    to.undoLog = scope.undoLog == null ? null : undos(scope.undoLog);
    moved.scope = to;
    return moved;
  }

  private static List<String> marks(ConstructNames words, Pool.Region region) {
    return region.marking() < 0 ? List.of() : List.of(words.place(region.marking()));
  }

  private List<UndoEntry> undos(List<UndoEntry> entries) {
    List<UndoEntry> moved = new ArrayList<>();
    for (UndoEntry entry : entries) {
      Construct part = before.task(entry.task());
      Construct partner = partner(part, "may have to be undone");
      int task = partner == null ? 0 : partner.operand();
      int address = partner == null ? 0 : newPools.tasks()[task].undo();
      if (address < 0) {
        refuse(part, "may have to be undone", "does not say how");
      }
      moved.add(
          new UndoEntry(
              entry.order(),
              address,
              entry.context(),
              entry.stamps(),
              entry.lineage(),
              task,
              entry.label()));
    }
    return moved;
  }

  private Frame block(Frame frame, Frame parent) {
    Construct part = before.of(Code.PAR_FORK, frame.spec);
    Construct partner = partner(part, "is open");
    Frame moved = opened(frame, parent, part, partner);
    JoinCounter join = java.util.Objects.requireNonNull(frame.join);
    if (moved == null) {
      return copy(frame, parent, 0);
    }
    int branches = pools.forks()[frame.spec].targets().length;
    int newBranches = newPools.forks()[moved.spec].targets().length;
    if (branches != newBranches) {
      String found = "has " + newBranches + " branches there instead of " + branches;
      refuse(part, "is open", found);
    }
    JoinCounter to = new JoinCounter(join.selected, newPools.tracksWrites());
    for (int i = 0; i < join.selected.length; i++) {
      to.got[i] = join.got[i];
      if (newPools.tracksWrites() && join.got[i] != null) {
        boolean stamped = join.gotStamps != join.got && join.gotStamps[i] != null;
        to.gotStamps[i] = stamped ? join.gotStamps[i] : Context.empty();
      }
    }
    to.gotCount = join.gotCount;
    to.dead = join.dead;
    to.fired = join.fired;
    to.aborted = join.aborted;
    to.byValue = join.byValue;
    moved.join = to;
    return moved;
  }

  private Frame set(Frame frame, Frame parent) {
    Construct part = before.of(Code.MI_SPAWN, frame.spec);
    Frame moved = opened(frame, parent, part, partner(part, "is open"));
    InstanceSet set = java.util.Objects.requireNonNull(frame.set);
    if (moved == null) {
      return copy(frame, parent, 0);
    }
    InstanceSet to = new InstanceSet();
    to.made = set.made;
    to.dead = set.dead;
    to.fired = set.fired;
    to.sealed = set.sealed;
    to.need = set.need;
    to.got.putAll(set.got);
    moved.set = to;
    return moved;
  }

  private Frame net(Frame frame, Frame parent) {
    Construct part = before.of(Code.NET_ENTER, frame.spec);
    Frame moved = opened(frame, parent, part, partner(part, "is open"));
    NetState net = java.util.Objects.requireNonNull(frame.net);
    if (moved == null) {
      return copy(frame, parent, 0);
    }
    Pool.Net from = pools.nets()[frame.spec];
    Pool.Net to = newPools.nets()[moved.spec];
    if (!NetShape.of(from).equals(NetShape.of(to))) {
      // A node that changes its number would give its tokens the names of another one's.
      refuse(part, "is open", "has other nodes, arcs or joins");
      return moved;
    }
    NetState copy = new NetState(to);
    copy.ended = net.ended;
    copy.result = net.result;
    copy.resultStamps = net.resultStamps;
    for (int i = 0; i < net.joins.length; i++) {
      NetState.Arcs arcs = net.joins[i];
      NetState.Arcs newArcs = copy.joins[i];
      if (arcs != null && newArcs != null) {
        newArcs.fired = arcs.fired;
        newArcs.firings = arcs.firings;
        System.arraycopy(arcs.seen, 0, newArcs.seen, 0, arcs.seen.length);
        System.arraycopy(arcs.seenStamps, 0, newArcs.seenStamps, 0, arcs.seen.length);
      }
    }
    moved.net = copy;
    return moved;
  }

  /// Puts the tokens of a net back into the queues they were in.
  private void queues(Frame from, Frame to) {
    if (from.net == null || to.net == null) {
      return;
    }
    for (int node = 0; node < from.net.joins.length; node++) {
      NetState.Arcs arcs = from.net.joins[node];
      for (int i = 0; arcs != null && i < arcs.queues.length; i++) {
        for (Token token : arcs.queues[i]) {
          to.net.arcs(node).queues[i].add(java.util.Objects.requireNonNull(tokens.get(token.id)));
        }
      }
    }
  }

  private Frame call(Frame frame, Frame parent) {
    Construct part = before.at(frame.returnAddress - Code.length(Code.CALL));
    Construct partner = partner(part, "is under way");
    Frame moved = opened(frame, parent, part, partner);
    if (moved == null || partner == null) {
      return copy(frame, parent, 0);
    }
    moved.depth = frame.depth;
    moved.returnAddress = partner.address() + Code.length(Code.CALL);
    int count = newPools.entries()[moved.spec].localPlaces();
    if (count > 0) {
      moved.places = places(frame.places, moved.spec, count);
    }
    requirePlaces(frame.places, frame.spec);
    return moved;
  }

  /// The places of the case (-1) or of one activation of a definition: what the old ones hold where
  /// there was one, what a new one starts with where there was none.
  private PlaceState[] places(PlaceState @Nullable [] from, int definition, int count) {
    PlaceState[] places = new PlaceState[count];
    for (int i = 0; i < newPools.placeCount(); i++) {
      Pool.PlaceSlot slot = newPools.places()[i];
      int at = definition < 0 ? i : slot.slot();
      if (definition >= 0 && slot.definition() != definition) {
        continue;
      }
      PlaceState place = new PlaceState();
      int old = oldPlaces[i];
      if (from != null && old >= 0) {
        place.tokens.addAll(from[definition < 0 ? old : pools.places()[old].slot()].tokens);
      } else if (slot.definition() == definition) {
        for (int k = 0; k < slot.place().init(); k++) {
          place.tokens.add(Context.empty());
        }
      }
      places[at] = place;
    }
    return places;
  }

  /// For each place of the new version the old one that becomes it, or -1.
  private int[] oldPlaces() {
    int[] found = new int[newPools.placeCount()];
    Arrays.fill(found, -1);
    for (int i = 0; i < pools.placeCount(); i++) {
      int place = pairing.place(i);
      if (place >= 0 && found[place] >= 0) {
        String both = words.place(found[place]) + " and " + words.place(i);
        reasons.add("the mapping makes one place of two: " + both);
      }
      if (place >= 0) {
        found[place] = i;
      }
    }
    return found;
  }

  /// No token may be left on a place that the new version does not have.
  private void requirePlaces(PlaceState @Nullable [] from, int definition) {
    for (int i = 0; from != null && i < pools.placeCount(); i++) {
      Pool.PlaceSlot slot = pools.places()[i];
      if (slot.definition() != definition || pairing.place(i) >= 0) {
        continue;
      }
      int held = from[slot.slot()].tokens.size();
      if (held > 0) {
        String name = words.place(i);
        reasons.add("place " + name + " holds " + held + " tokens, and the new version has none");
      }
    }
  }

  private Token token(Token token, Frame frame) {
    int ip = 0;
    long[] loops = null;
    Construct part = before.at(token.ip);
    Construct partner;
    if (token.state == Token.State.QUEUED) {
      partner = frame.net == null ? null : to.constructs().of(Code.NET_ENTER, frame.spec);
      ip = partner == null ? 0 : arrival(token, frame.spec);
    } else {
      partner = partner(part, "waits");
      ip = partner == null ? 0 : partner.address();
      loops = loops(token.loops, part);
      requireSameLoops(part, partner);
    }
    Token moved = new Token(token.id, frame, ip, token.context, token.stamps, token.lineage);
    moved.loops = loops;
    moved.state = token.state;
    moved.ordinal = token.ordinal;
    moved.node = token.node;
    moved.process = token.process;
    moved.arc = token.arc;
    if (token.wait != null && partner != null) {
      moved.wait = wait(token, token.wait, part, partner);
    }
    return moved;
  }

  /// The instruction that sends tokens along the same arc. Where an arc is written several times
  /// the token keeps to the one it came by.
  private int arrival(Token token, int net) {
    int[] code = state.program.raw().code();
    int[] newCode = to.raw().code();
    int nth = 0;
    for (int at = 0; at < token.ip; at += Code.length(code[at])) {
      nth += isArrival(code, at, token.frame.spec, token.arc) ? 1 : 0;
    }
    int found = 0;
    for (int at = 0; at < newCode.length && nth >= 0; at += Code.length(newCode[at])) {
      if (isArrival(newCode, at, net, token.arc)) {
        found = at;
        nth--;
      }
    }
    return found;
  }

  private static boolean isArrival(int[] code, int at, int net, int arc) {
    return code[at] == Code.ARRIVE && code[at + 1] == net && code[at + 2] == arc;
  }

  private Wait wait(Token token, Wait wait, Construct part, Construct partner) {
    Wait moved = new Wait(wait.number);
    moved.effect = wait.effect;
    moved.attempt = wait.attempt;
    moved.retrying = wait.retrying;
    moved.execution = wait.execution;
    moved.computes = wait.computes;
    moved.holds = wait.holds;
    moved.due = wait.due;
    if (token.state == Token.State.EFFECT) {
      if (part.operation() != partner.operation()) {
        boolean effect = part.operation() == Code.EFFECT_YIELD;
        refuse(part, "waits", "has a " + (effect ? "function" : "effect") + " of that name");
      }
      if (!wait.retrying) {
        moved.due = due(wait.due, timeout(pools, part), timeout(newPools, partner));
      }
    } else if (!wait.holds) {
      rearm(moved, pools.awaits()[part.operand()], newPools.awaits()[partner.operand()]);
    }
    return moved;
  }

  private static long timeout(Program.Pools pools, Construct task) {
    var timeout = pools.tasks()[task.operand()].options().timeout();
    return timeout == null ? Timers.NEVER : Math.max(1, Millis.of(timeout));
  }

  /// When a timer is due that had one duration and now has another.
  private long due(long due, long millis, long newMillis) {
    if (newMillis == Timers.NEVER) {
      return Timers.NEVER;
    }
    return millis == Timers.NEVER ? Timers.after(state.clock, newMillis) : due;
  }

  private void rearm(Wait moved, Pool.Await await, Pool.Await next) {
    int least = Places.shortest(next);
    long millis = least < 0 ? Timers.NEVER : next.alternatives().get(least).millis();
    boolean timed = Places.shortest(await) >= 0;
    moved.due = due(moved.due, timed ? 0 : Timers.NEVER, millis);
    moved.timerAlternative = least;
  }

  private void requireSameLoops(Construct part, @Nullable Construct partner) {
    if (partner != null && part.slots() != partner.slots()) {
      String found = "has it inside " + partner.slots() + " instead of " + part.slots();
      refuse(part, "is reached", found + " loops that count");
    }
  }

  private long @Nullable [] loops(long @Nullable [] loops, Construct part) {
    if (loops == null || newPools.loopSlots() == 0) {
      return null;
    }
    long[] moved = new long[newPools.loopSlots()];
    System.arraycopy(loops, 0, moved, 0, Math.min(part.slots(), moved.length));
    return moved;
  }

  private @Nullable Construct partner(Construct part, String how) {
    Match match = pairing.partner(part);
    if (match.part() == null && !match.why().isEmpty()) {
      List<String> elsewhere = pairing.elsewhere(part);
      String found = elsewhere.isEmpty() ? "" : ", only at " + String.join(", ", elsewhere);
      refuse(part, how, match.why() + found);
    }
    return match.part();
  }

  private void refuse(Construct part, String how, String found) {
    reasons.add(
        describe(part) + " " + how + " at " + part.path() + ", and the new version " + found);
  }

  private String describe(Construct part) {
    String label = words.label(part);
    return words.isNamed(part) ? label : "the " + label;
  }
}
