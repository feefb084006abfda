package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import dev.damask.state.Frame;
import dev.damask.state.NetClosure;
import dev.damask.state.NetState;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.term.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The possible-arrival analysis: which arcs and places might still receive a token, given the
/// tokens there are now.
///
/// ## What it decides
///
/// OR-joins, the reset of blocking joins, unfulfillable joins and expired waits. It is asked only
/// when no token can move. The join or wait that is decided is assumed not to move; see [Question].
///
/// ## How
///
/// One least fixed point of Horn rules, computed with a work list and counters:
///
/// - *Positions.* An instruction can be executed when a token that can move reaches it. Control
///   flow is followed through the raw code; an await lets through the alternatives whose places are
///   marked, markable or external; a body that is entered later is assumed able to complete.
/// - *Places.* A position that emits to a place makes it markable. Each alternative that waits
///   counts the places it still lacks.
/// - *Arcs* of the open nets: one [NetClosure] each, whose possible nodes are positions again.
/// - *Frames*: [Prospects] determines which open frames can still deliver, be emptied or be ended,
///   and so what can free a token that is stuck inside them: a kill, an addition, a time limit, a
///   failure that is caught. What follows such a frame is a position; what follows the await of the
///   stuck token is not. Undo terms are positions while their scope can be ended.
///
/// ## Two layers
///
/// Code inside a graph may belong to an open net, in which tokens move along arcs by the rules of
/// the closure, or to an activation that is entered later, whose joins are assumed to fire. Each
/// address is therefore followed at most twice, once per layer.
///
/// ## How exact
///
/// Consumption of tokens and values of guards are ignored, so it errs only by saying "possible". An
/// OR-join therefore never fires early, and rarely late; every change leads to a new evaluation.
///
/// ## Cost
///
/// Linear in the size of the program and the number of open frames and tokens.
final class Arrivals {
  private static final int OPEN = 0;
  private static final int LATER = 1;

  final Machine machine;
  final ExecState state;
  final Question question;
  private final Program.Pools pools;
  private final int[] code;
  private final Prospects prospects;
  private final BitSet markable = new BitSet();

  /// Places that a scope can mark: a test sees that, no token can take it.
  private final BitSet testable = new BitSet();

  /// By place, first for those who take from it, then for those who only test it.
  private final @Nullable List<Lack>[] lacking;

  private final BitSet[] seen = {new BitSet(), new BitSet()};
  private int[] open = new int[64];
  private int waiting;

  /// What is asked.
  ///
  /// @param frame the net of the joins, or the frame of the token that waits
  /// @param blocked the joins of that net that are assumed not to fire
  /// @param token the token whose wait is decided; null for joins
  /// @param expiry whether other tokens that wait count as able to expire
  record Question(Frame frame, BitSet blocked, @Nullable Token token, boolean expiry) {
    static Question joins(Frame net, BitSet blocked) {
      return new Question(net, blocked, null, true);
    }

    static Question expiry(Token token, boolean others) {
      return new Question(token.frame, new BitSet(), token, others);
    }
  }

  /// An alternative that lacks places: when none is lacking any more, the target can be reached.
  private static final class Lack {
    final int target;
    final int layer;
    final @Nullable Token token;
    int places;

    Lack(int target, int layer, @Nullable Token token) {
      this.target = target;
      this.layer = layer;
      this.token = token;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other spelling
  Arrivals(Machine machine, ExecState state, Question question) {
    this.machine = machine;
    this.state = state;
    this.question = question;
    this.pools = machine.program.pools();
    this.code = machine.program.raw().code();
    this.lacking = new List[2 * pools.places().length];
    this.prospects = new Prospects(this);
    prospects.begin();
    run();
    state.analysed += prospects.visited();
  }

  /// The arcs of a net while some of its joins do not fire.
  static NetClosure closure(Machine machine, ExecState state, Frame net, BitSet blocked) {
    if (state.awaits != null && !state.awaits.isEmpty()) {
      return new Arrivals(machine, state, Question.joins(net, blocked)).prospects.closure(net);
    }
    // No token can be stuck, so every token counts and the rest of the program does not matter.
    NetState now = java.util.Objects.requireNonNull(net.net);
    NetClosure closure =
        new NetClosure(machine.program.pools().nets()[net.spec], now, blocked, node -> {});
    closure.begin();
    for (Token token = net.firstToken; token != null; token = token.next) {
      if (token.node >= 0) {
        closure.execute(token.node);
      }
    }
    for (Frame child = net.firstChild; child != null; child = child.next) {
      if (child.node >= 0 && isActive(machine, state, child)) {
        closure.execute(child.node);
      }
    }
    state.analysed += closure.visited();
    return closure;
  }

  /// Whether a frame holds a token, or a set that waits to be closed. A net may be open without
  /// either, for a round that has begun. What is found holds for the frames on the way too, until
  /// the next settling: nested nets visit a frame once, not once per net around it.
  private static boolean isActive(Machine machine, ExecState state, Frame root) {
    Deque<Frame> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      state.analysed++;
      boolean holds =
          frame.activeAt == state.settlings
              || frame.tokens > 0
              || (frame.set != null && machine.instances.awaitsClose(frame));
      if (holds) {
        for (Frame each = frame; each != root.parent && each != null; each = each.parent) {
          if (each != frame && each.activeAt == state.settlings) {
            break;
          }
          each.activeAt = state.settlings;
        }
        return true;
      }
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        open.push(child);
      }
    }
    return false;
  }

  /// Whether all these places could hold a token for a waiting token.
  boolean canEnable(Token token, Pool.AlternativeKind kind, int[] places) {
    for (int place : places) {
      if (isLacking(token, kind, place)) {
        return false;
      }
    }
    return true;
  }

  private void run() {
    do {
      while (waiting > 0) {
        int next = open[--waiting];
        state.analysed++;
        execute(next >> 1, next & 1);
      }
    } while (prospects.advance());
  }

  /// A token of an open frame can come to an address.
  void reach(int address) {
    reach(address, OPEN);
  }

  private void reach(int address, int layer) {
    if (!seen[layer].get(address)) {
      seen[layer].set(address);
      if (waiting == open.length) {
        open = Arrays.copyOf(open, waiting * 2);
      }
      open[waiting++] = address << 1 | layer;
    }
  }

  /// What a token that is there now can do.
  void start(Token token) {
    Wait wait = token.wait;
    if (token == question.token()) {
      return;
    }
    if (token.state == Token.State.QUEUED) {
      prospects.queued(token);
      return;
    }
    if (token.state != Token.State.AWAIT || wait == null) {
      prospects.moves(token);
      reach(token.ip);
      return;
    }
    if (wait.holds) {
      int[] holds = pools.regions()[token.frame.spec].holds();
      int next = token.ip + Code.length(Code.CANCEL_SCOPE);
      await(Pool.AlternativeKind.TAKE, holds, new Lack(next, OPEN, token));
      return;
    }
    for (Pool.Alternative alternative : pools.awaits()[code[token.ip + 1]].alternatives()) {
      boolean counts = alternative.kind() != Pool.AlternativeKind.EXPIRED || question.expiry();
      if (counts) {
        Lack lack = new Lack(alternative.target(), OPEN, token);
        await(alternative.kind(), alternative.places(), lack);
      }
    }
  }

  private void await(Pool.AlternativeKind kind, int[] places, Lack lack) {
    for (int place : places) {
      boolean lacks =
          lack.token == null ? isLackingLater(kind, place) : isLacking(lack.token, kind, place);
      if (lacks) {
        int index = 2 * place + (kind == Pool.AlternativeKind.TEST ? 1 : 0);
        List<Lack> list = lacking[index];
        if (list == null) {
          list = new ArrayList<>();
          lacking[index] = list;
        }
        list.add(lack);
        lack.places++;
      }
    }
    if (lack.places == 0) {
      pass(lack);
    }
  }

  private void pass(Lack lack) {
    if (lack.token != null) {
      prospects.moves(lack.token);
    }
    reach(lack.target, lack.layer);
  }

  private boolean isLacking(Token token, Pool.AlternativeKind kind, int place) {
    return !canCome(kind, place) && !machine.places.at(state, token.frame, place).offers(kind);
  }

  private boolean canCome(Pool.AlternativeKind kind, int place) {
    return pools.places()[place].place().external()
        || markable.get(place)
        || (kind == Pool.AlternativeKind.TEST && testable.get(place));
  }

  /// Whether no token that reaches an await later can find a token on a place.
  private boolean isLackingLater(Pool.AlternativeKind kind, int place) {
    // A place of a definition may be that of any activation, open now or later.
    return pools.places()[place].definition() < 0
        && !canCome(kind, place)
        && !java.util.Objects.requireNonNull(state.places)[place].offers(kind);
  }

  /// A token can be put on a place.
  void mark(int place) {
    if (markable.get(place)) {
      return;
    }
    markable.set(place);
    served(2 * place);
    markByScope(place);
  }

  /// A scope that marks a place can be entered.
  private void markByScope(int place) {
    if (!testable.get(place)) {
      testable.set(place);
      served(2 * place + 1);
    }
  }

  private void served(int index) {
    List<Lack> list = lacking[index];
    if (list != null) {
      lacking[index] = null;
      for (Lack lack : list) {
        state.analysed++;
        if (--lack.places == 0) {
          pass(lack);
        }
      }
    }
  }

  /// Follows the flow graph of the raw code over one instruction.
  private void execute(int at, int layer) {
    switch (code[at]) {
      case Code.AWAIT -> {
        for (Pool.Alternative alternative : pools.awaits()[code[at + 1]].alternatives()) {
          Lack lack = new Lack(alternative.target(), layer, null);
          await(alternative.kind(), alternative.places(), lack);
        }
      }
      case Code.EMIT -> {
        emit(code[at + 1]);
        reach(at + Code.length(Code.EMIT), layer);
      }
      case Code.KILL -> {
        if (kill(code[at + 1])) {
          reach(at + Code.length(Code.KILL), layer);
        }
      }
      case Code.CANCEL_SCOPE -> {
        if (code[at + 1] == Code.ENTER) {
          enter(at, layer);
        } else {
          reach(at + Code.length(Code.CANCEL_SCOPE), layer);
        }
      }
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> {
        reach(at + Code.length(code[at]), layer);
        int undo = pools.tasks()[code[at + 1]].undo();
        if (undo >= 0 && machine.units().isUndone(code[at + 1])) {
          reach(undo, layer);
        }
      }
      case Code.NET_ENTER -> {
        reach(at + Code.length(Code.NET_ENTER), LATER);
        reach(pools.nets()[code[at + 1]].continuation(), layer);
      }
      case Code.ARRIVE -> {
        if (layer == LATER) {
          Reach.successors(code, at, pools, next -> reach(next, LATER));
        } // in an open net the closure contains where tokens can go
      }
      default -> Reach.successors(code, at, pools, next -> reach(next, layer));
    }
  }

  private void emit(int index) {
    Pool.Emission emission = pools.emissions()[index];
    switch (emission.kind()) {
      case PLACE -> mark(emission.target());
      case ADD -> prospects.add(emission.target(), machine.units().isOwn(index));
      case CLOSE -> prospects.close(emission.target(), machine.units().isOwn(index));
    }
  }

  /// A kill can be executed; returns whether the token may continue after it. A break ends what the
  /// token is in, and the end of the case ends what is decided, too.
  private boolean kill(int index) {
    Pool.Kill kill = pools.kills()[index];
    if (kill.name() < 0) {
      return false;
    }
    prospects.kill(kill, machine.units().unitOfKill(index));
    return kill.outcome() != Term.Kill.Outcome.BREAK;
  }

  /// A scope that is entered later: it waits for what it holds, and is then able to complete.
  private void enter(int at, int layer) {
    Pool.Region region = pools.regions()[code[at + 2]];
    int body = at + Code.length(Code.CANCEL_SCOPE);
    await(Pool.AlternativeKind.TAKE, region.holds(), new Lack(body, layer, null));
    if (region.marking() >= 0) {
      markByScope(region.marking());
    }
    boolean waits = region.holds().length > 0 && !machine.units().isKilled(region.name());
    if (waits) {
      Lack lack = new Lack(region.continuation(), layer, null);
      await(Pool.AlternativeKind.TAKE, region.holds(), lack);
    } else {
      reach(region.continuation(), layer);
    }
    if (region.handler() >= 0) {
      reach(region.handler(), layer);
    }
    if (region.onTimeout() >= 0) {
      reach(region.onTimeout(), layer);
    }
  }
}
