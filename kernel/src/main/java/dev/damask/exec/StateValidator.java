package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.migration.ConstructNames;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.ConstructTree.Home;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.state.Undoing;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether a state that cannot move is one that its program could be in, as far as the text of the
/// program decides it and not data.
///
/// Every token and every frame must stand in the frame that its place in the text demands, with the
/// counters of the loops around it; joins, scopes and waits must not have missed a moment at which
/// they would have continued. Every state in which the machine stops passes.
final class StateValidator {
  private final ExecState state;
  private final Program program;
  private final ConstructTree constructs;
  private final Program.Pools pools;
  private final List<String> broken = new ArrayList<>();

  StateValidator(ExecState state) {
    this.state = state;
    this.program = state.program;
    this.constructs = program.constructs();
    this.pools = program.pools();
  }

  /// One sentence for everything that cannot be.
  List<String> broken() {
    Frame root = state.root;
    boolean over = program.mode() == Mode.EXPLICIT && root.delivered;
    require(
        !over || root.undoing != null, "the case has delivered its result and would have ended");
    Deque<Frame> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      frame(frame);
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        open.push(child);
      }
      for (Token token = frame.firstToken; token != null; token = token.next) {
        token(token);
      }
    }
    places(state.places, -1);
    return broken;
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      broken.add(otherwise);
    }
  }

  private void frame(Frame frame) {
    switch (frame.kind) {
      case CASE, BRANCH, INSTANCE -> {}
      case REGION -> region(frame, opened(frame, Code.CANCEL_SCOPE));
      case BLOCK -> block(frame, opened(frame, Code.PAR_FORK));
      case SET -> set(frame, opened(frame, Code.MI_SPAWN));
      case NET -> opened(frame, Code.NET_ENTER);
      case CALL -> call(frame);
      case GROUP ->
          require(
              false, "an orchestration cannot be migrated: it keeps the graph it was started with");
    }
    if (frame.undoing != null) {
      undoing(frame, frame.undoing);
    }
  }

  /// The construct a frame activates, which must stand where the frame does.
  private Construct opened(Frame frame, int operation) {
    Construct part = constructs.of(operation, frame.spec);
    entered(frame, part, "is open");
    return part;
  }

  private void entered(Frame frame, Construct part, String how) {
    stands(part, frame.outer(), frame.node, how);
    if (!frame.delivered) {
      counts(part, frame.loops); // a frame that has delivered has handed them on
    }
  }

  private void call(Frame frame) {
    Construct part = constructs.at(frame.returnAddress - Code.length(Code.CALL));
    boolean fits = part.operation() == Code.CALL && part.operand() == frame.spec;
    require(fits, "a call is open, but there is no call at " + part.path());
    entered(frame, part, "is in progress");
    places(frame.places, frame.spec);
  }

  /// Whether a construct is, by the definition, in a frame.
  private void stands(Construct part, Frame frame, int node, String how) {
    require(
        matches(part.home(), frame, node),
        describe(part) + " " + how + " and is at " + part.path() + ", in another construct");
  }

  /// Whether there is a count of rounds for every loop around a construct, and for no other.
  private void counts(Construct part, long @Nullable [] loops) {
    boolean counts = loops != null || part.slots() == 0;
    for (int i = 0; loops != null && i < loops.length; i++) {
      counts &= (loops[i] > 0) == i < part.slots();
    }
    require(
        counts, describe(part) + " at " + part.path() + " is in a counting loop without its count");
  }

  private boolean matches(Home home, Frame frame, int node) {
    if (frame.undoing != null) {
      return home.place() == ConstructTree.Place.UNDO
          && node < 0
          && frame.undoing.rest.getFirst().task() == home.index();
    }
    return switch (home.place()) {
      case UNDO -> false;
      case CASE -> frame.kind == Frame.Kind.CASE;
      case DEFINITION -> frame.kind == Frame.Kind.CALL && frame.spec == home.index();
      case REGION -> frame.kind == Frame.Kind.REGION && frame.spec == index(home);
      case INSTANCE -> frame.kind == Frame.Kind.INSTANCE && frame.outer().spec == index(home);
      case NODE ->
          frame.kind == Frame.Kind.NET && frame.spec == index(home) && node == home.index();
      case BRANCH ->
          frame.kind == Frame.Kind.BRANCH
              && frame.outer().spec == index(home)
              && join(frame.outer()).selected[frame.spec] == home.index();
    };
  }

  private int index(Home home) {
    return home.construct().operand();
  }

  private void token(Token token) {
    Construct part = constructs.at(token.ip);
    switch (token.state) {
      case EFFECT -> {
        stands(part, token.frame, token.node, "waits");
        counts(part, token.loops);
      }
      case AWAIT -> {
        if (java.util.Objects.requireNonNull(token.wait).holds) {
          boolean own = token.frame.kind == Frame.Kind.REGION;
          boolean fits = own && token.frame.spec == part.operand();
          require(fits, describe(part) + " waits for its places outside its own scope");
          int[] holds = pools.regions()[part.operand()].holds();
          require(!offered(token, Pool.AlternativeKind.TAKE, holds), goesOn(part));
        } else {
          stands(part, token.frame, token.node, "is reached");
          counts(part, token.loops);
          await(token, part);
        }
      }
      case QUEUED -> queued(token, part);
      case READY, GONE, HELD -> require(false, "a token is moving at " + part.path());
    }
  }

  private void await(Token token, Construct part) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    Pool.Await await = pools.awaits()[part.operand()];
    for (Pool.Alternative each : await.alternatives()) {
      boolean place =
          each.kind() == Pool.AlternativeKind.TAKE || each.kind() == Pool.AlternativeKind.TEST;
      require(!place || !offered(token, each.kind(), each.places()), goesOn(part));
    }
    require(
        wait.timerAlternative == Places.shortest(await),
        describe(part) + " at " + part.path() + " has the timer of another alternative");
  }

  private static String goesOn(Construct part) {
    return "a token waits at " + part.path() + " for a token that is already available";
  }

  private boolean offered(Token token, Pool.AlternativeKind kind, int[] indexes) {
    for (int index : indexes) {
      if (!Places.at(state, token.frame, pools.places(), index).offers(kind)) {
        return false;
      }
    }
    return true;
  }

  private void queued(Token token, Construct part) {
    int[] code = program.raw().code();
    Pool.Net net = pools.nets()[token.frame.spec];
    boolean fits =
        token.frame.net != null
            && code[token.ip] == Code.ARRIVE
            && code[token.ip + 1] == token.frame.spec
            && code[token.ip + 2] == token.arc
            && net.arcs()[token.arc].position() >= 0;
    require(fits, "a token is queued at " + part.path() + " on the wrong arc");
    if (fits && token.frame.net != null) {
      Pool.Arc arc = net.arcs()[token.arc];
      boolean there = token.frame.net.arcs(arc.target()).queues[arc.position()].contains(token);
      require(there, "a token at " + part.path() + " is in no queue");
    }
  }

  private void region(Frame frame, Construct part) {
    Pool.Region region = pools.regions()[frame.spec];
    Frame.Scope scope = java.util.Objects.requireNonNull(frame.scope);
    boolean log = scope.undoLog != null && !scope.undoLog.isEmpty();
    require(!log || region.undo(), describe(part) + " has tasks to undo, but undo is not enabled");
    if (scope.undoLog != null) {
      scope.undoLog.forEach(this::undo);
    }
    Token first = frame.firstToken;
    boolean waits = first != null && first.wait != null && first.wait.holds;
    boolean holds = region.holds().length > 0;
    require(
        !holds || waits == scope.held.isEmpty(),
        describe(part) + " is open, but does not hold its places");
    require(
        region.timeoutMillis() > 0 || scope.due == Timers.NEVER,
        describe(part) + " has a deadline, but no timeout");
  }

  private void undoing(Frame frame, Undoing undoing) {
    undoing.rest.forEach(this::undo);
    boolean region = frame.kind == Frame.Kind.REGION;
    boolean fits =
        switch (undoing.ending.kind()) {
          case WITHDRAW, FAIL -> true;
          case COMPLETE -> region || frame.kind == Frame.Kind.SET || frame.kind == Frame.Kind.CASE;
          case DELIVER -> region || frame.kind == Frame.Kind.NET || frame.kind == Frame.Kind.CASE;
          case TIMEOUT -> region && pools.regions()[frame.spec].timeoutMillis() > 0;
          case HANDLE -> region && pools.regions()[frame.spec].handler() >= 0;
        };
    require(fits, "a scope is being undone, but cannot end that way");
  }

  private void undo(UndoEntry entry) {
    Pool.Task task = pools.tasks()[entry.task()];
    boolean fits = task.undo() >= 0 && task.undo() == entry.address();
    require(fits, "task " + task.name() + " may have to be undone, but has no undo");
  }

  private void block(Frame frame, Construct part) {
    JoinCounter join = join(frame);
    JoinPolicy policy = java.util.Objects.requireNonNull(pools.forks()[frame.spec].policy());
    int[] sorted = Arrays.stream(join.selected).sorted().distinct().toArray();
    require(Arrays.equals(sorted, join.selected), describe(part) + " counts a branch twice");
    boolean waits = join.isDecided() || join.verdict(policy) == JoinCounter.Verdict.WAIT;
    require(waits, "the block at " + part.path() + " would already have continued");
    boolean left = join.isDecided() && policy.rest() == JoinPolicy.Rest.CANCEL;
    require(
        !left || isSwept(frame),
        "the block at " + part.path() + " would already have cancelled its remaining branches");
  }

  private void set(Frame frame, Construct part) {
    InstanceSet set = java.util.Objects.requireNonNull(frame.set);
    InstancePolicy policy = pools.instances()[frame.spec].policy();
    String name = describe(part);
    require(
        set.made <= policy.max(), name + " has " + set.made + " instances, more than its bound");
    require(policy.isOpen() || set.sealed, name + " accepts instances, but is not an open set");
    boolean counts = policy.need() instanceof InstancePolicy.Need.Count;
    require(counts == set.need >= 0, name + " does not have the number that must complete");
    boolean enough = set.need >= 0 && set.got.size() >= set.need;
    boolean lasts = policy.open() == InstancePolicy.Open.UNTIL_CLOSED && !set.sealed;
    boolean waits = !enough && (set.alive() > 0 || lasts);
    require(set.fired || waits, name + " would already have continued");
    boolean left = set.fired && policy.rest() == JoinPolicy.Rest.CANCEL;
    require(!left || isSwept(frame), name + " would already have cancelled its remaining branches");
  }

  /// Whether nothing is left that a block which cancels its rest would have cancelled.
  private static boolean isSwept(Frame block) {
    for (Frame child = block.firstChild; child != null; child = child.next) {
      if (!child.delivered && child.undoing == null) {
        return false;
      }
    }
    return true;
  }

  private void places(PlaceState @Nullable [] places, int definition) {
    for (int i = 0; places != null && i < pools.placeCount(); i++) {
      Pool.PlaceSlot slot = pools.places()[i];
      if (slot.definition() == definition) {
        boolean keeps = slot.place().lifetime() == Place.Lifetime.PERSISTENT;
        boolean empty = places[slot.slot()].tokens.isEmpty();
        require(keeps || empty, "place " + slot.place().name() + " is transient, but not empty");
      }
    }
  }

  private String describe(Construct part) {
    ConstructNames words = new ConstructNames(program, Mapping.NONE);
    return words.isNamed(part) ? words.label(part) : "the " + words.label(part);
  }

  private static JoinCounter join(Frame block) {
    return java.util.Objects.requireNonNull(block.join);
  }
}
