package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.migration.Alignment.Match;
import dev.damask.migration.ConstructMatcher;
import dev.damask.migration.ConstructNames;
import dev.damask.migration.NetShape;
import dev.damask.migration.RelocationTable;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.Invariant;
import dev.damask.state.JoinCounter;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.task.Millis;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Migrates one state to another program: checks that everything it refers to has a partner there,
/// reads it under the relocation, and arms its timers again.
final class StateMigrator {
  private static final int CASE = -1; // the definition of places that belong to the case

  private final ExecState state;
  private final RelocationTable relocation;
  private final ConstructMatcher matcher;
  private final ConstructTree constructs;
  private final Machine to;
  private final Program.Pools pools;
  private final Program.Pools newPools;
  private final ConstructNames words;
  private final LinkedHashSet<String> reasons = new LinkedHashSet<>();

  /// The open frames of the state, outermost first.
  private final List<Frame> frames = new ArrayList<>();

  StateMigrator(ExecState state, Machine to, Mapping mapping) {
    this.state = state;
    this.relocation = new RelocationTable(state.program, to.program, mapping);
    this.matcher = relocation.matcher();
    this.constructs = state.program.constructs();
    this.to = to;
    this.pools = state.program.pools();
    this.newPools = to.program.pools();
    this.words = new ConstructNames(state.program, Mapping.NONE);
    frames.add(state.root);
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
    }
  }

  /// Returns why the state cannot be migrated, one sentence for each reason.
  List<String> reasons() {
    relocation.merged().forEach(both -> reasons.add("the mapping maps two places to one: " + both));
    undone(state.root);
    for (Frame frame : frames) {
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        frame(child);
        undone(child);
      }
      for (Token token = frame.firstToken; token != null; token = token.next) {
        token(token);
      }
    }
    places(state.places, CASE);
    return List.copyOf(reasons);
  }

  /// Returns the state in the numbers of the new program. There must be no [#reasons].
  ExecState migrated() {
    StateReader reader = StateCodec.reader(to, StateCodec.encode(state), relocation);
    ExecState moved = reader.readTables();
    moved.places = relocated(moved.places, CASE, newPools.placeCount());
    for (Frame frame : frames) {
      Frame to = Objects.requireNonNull(reader.frames.get(frame.id));
      if (to.kind == Frame.Kind.CALL) {
        int count = newPools.entries()[to.spec].localPlaces();
        to.places = relocated(to.places, to.spec, count);
      }
      rearm(frame, to, moved);
      for (Token token = frame.firstToken; token != null; token = token.next) {
        if (token.wait != null) {
          rearm(token, Objects.requireNonNull(reader.tokens.get(token.id)));
        }
      }
    }
    reader.index(moved);
    return moved;
  }

  private void frame(Frame frame) {
    switch (frame.kind) {
      case CASE -> throw new Invariant.Broken("I6 frames form a tree; " + frame.id);
      case BRANCH, INSTANCE -> {}
      case REGION -> region(frame);
      case BLOCK -> block(frame);
      case SET -> opened(frame, constructs.of(Code.MI_SPAWN, frame.spec), "is open");
      case NET -> net(frame);
      case CALL -> {
        int call = frame.returnAddress - Code.length(Code.CALL);
        if (opened(frame, constructs.at(call), "is in progress") != null) {
          places(frame.places, frame.spec);
        }
      }
      case GROUP ->
          reasons.add(
              "an orchestration cannot be migrated: it keeps the graph it was started with");
    }
  }

  /// The partner of the construct that opened a frame; null when it has none.
  private @Nullable Construct opened(Frame frame, Construct part, String how) {
    Construct partner = partner(part, how);
    if (!frame.delivered) {
      requireSameLoops(part, partner);
    }
    return partner;
  }

  private void region(Frame frame) {
    Construct part = constructs.of(Code.CANCEL_SCOPE, frame.spec);
    Construct partner = opened(frame, part, "is open");
    if (partner == null) {
      return;
    }
    Pool.Region region = pools.regions()[frame.spec];
    Pool.Region next = newPools.regions()[partner.operand()];
    ConstructNames after = matcher.after();
    if (!matcher.before().places(region.holds()).equals(after.places(next.holds()))) {
      refuse(part, "is open", "holds other places: " + after.places(next.holds()));
    }
    if (!marks(matcher.before(), region).equals(marks(after, next))) {
      refuse(part, "is open", "marks other places: " + marks(after, next));
    }
    Frame.Scope scope = Objects.requireNonNull(frame.scope);
    if (scope.undoLog != null) {
      scope.undoLog.forEach(this::undo);
    }
  }

  private static List<String> marks(ConstructNames words, Pool.Region region) {
    return region.marking() < 0 ? List.of() : List.of(words.place(region.marking()));
  }

  private void undone(Frame frame) {
    if (frame.undoing != null) {
      frame.undoing.rest.forEach(this::undo);
    }
  }

  private void undo(UndoEntry entry) {
    Construct part = constructs.task(entry.task());
    Construct partner = partner(part, "may have to be undone");
    if (partner != null && newPools.tasks()[partner.operand()].undo() < 0) {
      refuse(part, "may have to be undone", "has no undo for it");
    }
  }

  private void block(Frame frame) {
    Construct part = constructs.of(Code.PAR_FORK, frame.spec);
    Construct partner = opened(frame, part, "is open");
    if (partner == null) {
      return;
    }
    int branches = pools.forks()[frame.spec].targets().length;
    int newBranches = newPools.forks()[partner.operand()].targets().length;
    if (branches != newBranches) {
      String found = "has " + newBranches + " branches there instead of " + branches;
      refuse(part, "is open", found);
    }
  }

  private void net(Frame frame) {
    Construct part = constructs.of(Code.NET_ENTER, frame.spec);
    Construct partner = opened(frame, part, "is open");
    if (partner == null) {
      return;
    }
    NetShape shape = NetShape.of(newPools.nets()[partner.operand()]);
    if (!NetShape.of(pools.nets()[frame.spec]).equals(shape)) {
      // A node that changes its number would give its tokens the names of another one's.
      refuse(part, "is open", "has other nodes, arcs or joins");
    }
  }

  /// No token may be left on a place that the new version does not have.
  private void places(PlaceState @Nullable [] places, int definition) {
    for (int i = 0; places != null && i < pools.placeCount(); i++) {
      Pool.PlaceSlot slot = pools.places()[i];
      if (slot.definition() != definition || matcher.place(i) >= 0) {
        continue;
      }
      int held = places[slot.slot()].tokens.size();
      if (held > 0) {
        String name = words.place(i);
        reasons.add("place " + name + " holds " + held + " tokens; the new version has none");
      }
    }
  }

  private void token(Token token) {
    if (token.state == Token.State.QUEUED) {
      return; // is in a graph of the same shape
    }
    Construct part = constructs.at(token.ip);
    Construct partner = partner(part, "waits");
    requireSameLoops(part, partner);
    boolean effect = token.state == Token.State.EFFECT;
    if (effect && partner != null && part.operation() != partner.operation()) {
      String other = part.operation() == Code.EFFECT_YIELD ? "function" : "effect";
      refuse(part, "waits", "has a " + other + " of that name");
    }
  }

  private void requireSameLoops(Construct part, @Nullable Construct partner) {
    if (partner != null && part.slots() != partner.slots()) {
      String found = "has it inside " + partner.slots() + " instead of " + part.slots();
      refuse(part, "is reached", found + " counting loops");
    }
  }

  private @Nullable Construct partner(Construct part, String how) {
    Match match = matcher.partner(part);
    if (match.part() == null && !match.why().isEmpty()) {
      List<String> elsewhere = matcher.elsewhere(part);
      String found = elsewhere.isEmpty() ? "" : "; found at " + String.join(", ", elsewhere);
      refuse(part, how, match.why() + found);
    }
    return match.part();
  }

  private void refuse(Construct part, String how, String found) {
    String label = words.isNamed(part) ? words.label(part) : "the " + words.label(part);
    reasons.add(label + " " + how + " at " + part.path() + "; the new version " + found);
  }

  /// The places of the case or of one activation of a definition: the old ones where they exist,
  /// else new ones with their initial tokens.
  private PlaceState @Nullable [] relocated(
      PlaceState @Nullable [] old, int definition, int count) {
    PlaceState[] places = new PlaceState[count];
    Pool.PlaceSlot[] slots = newPools.places();
    for (int i = 0; i < slots.length && count > 0; i++) {
      boolean own = slots[i].definition() == definition;
      if (definition != CASE && !own) {
        continue;
      }
      PlaceState place = new PlaceState();
      int from = relocation.place(i);
      if (old != null && from >= 0) {
        place = old[definition == CASE ? from : pools.places()[from].slot()];
      } else if (own) {
        for (int left = slots[i].place().init(); left > 0; left--) {
          place.load(Context.empty());
        }
      }
      places[definition == CASE ? i : slots[i].slot()] = place;
    }
    return count == 0 ? null : places;
  }

  /// Arms the timer of a scope; gives a join that now asks for writes the ones that it lacks.
  private void rearm(Frame frame, Frame moved, ExecState migrated) {
    if (frame.scope != null && moved.scope != null) {
      long millis = newPools.regions()[moved.spec].timeoutMillis();
      boolean runs = frame.undoing == null && !frame.delivered;
      if (millis == 0) {
        moved.scope.due = Timers.NEVER;
      } else if (pools.regions()[frame.spec].timeoutMillis() == 0 && runs) {
        moved.scope.due = Timers.after(state.clock, millis);
        moved.scope.dueOrder = ++migrated.lastWait;
      }
    }
    JoinCounter join = moved.join;
    for (int i = 0; join != null && newPools.tracksWrites() && i < join.got.length; i++) {
      if (join.got[i] != null && join.gotStamps[i] == null) {
        join.gotStamps[i] = Context.empty();
      }
    }
  }

  private void rearm(Token token, Token moved) {
    Wait wait = Objects.requireNonNull(moved.wait);
    if (token.state == Token.State.EFFECT) {
      if (!wait.retrying) {
        wait.due =
            due(wait.due, timeout(token.task(state.program)), timeout(moved.task(to.program)));
      }
    } else if (!wait.holds) {
      Pool.Await next = newPools.awaits()[to.program.raw().code()[moved.ip + 1]];
      int least = Places.shortest(next);
      long millis = least < 0 ? Timers.NEVER : next.alternatives().get(least).millis();
      wait.due = due(wait.due, wait.timerAlternative < 0 ? Timers.NEVER : 0, millis);
      wait.timerAlternative = least;
    }
  }

  private static long timeout(Pool.Task task) {
    var timeout = task.options().timeout();
    return timeout == null ? Timers.NEVER : Math.max(1, Millis.of(timeout));
  }

  /// When a timer is due that had one duration and now has another.
  private long due(long due, long millis, long newMillis) {
    if (newMillis == Timers.NEVER) {
      return Timers.NEVER;
    }
    return millis == Timers.NEVER ? Timers.after(state.clock, newMillis) : due;
  }
}
