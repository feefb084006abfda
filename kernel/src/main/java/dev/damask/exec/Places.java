package dev.damask.exec;

import dev.damask.event.Reply;
import dev.damask.event.TraceEvent;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.Invariant;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.term.Place;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Places: what is put on them, who waits for it, and what a scope holds of them.
final class Places {
  private final Machine machine;
  private final Pool.PlaceSlot[] slots;

  Places(Machine machine) {
    this.machine = machine;
    this.slots = machine.pools.places();
  }

  /// Makes the places of a new case.
  void open(ExecState state) {
    PlaceState[] all = new PlaceState[slots.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = filled(slots[i].definition() < 0 ? slots[i].place().init() : 0);
    }
    state.setPlaces(all);
  }

  /// Makes the places that belong to one activation of a definition.
  void openLocal(ExecState state, Frame call, int definition) {
    PlaceState[] local = new PlaceState[machine.pools.entries()[definition].localPlaces()];
    for (Pool.PlaceSlot slot : slots) {
      if (slot.definition() == definition) {
        local[slot.slot()] = filled(slot.place().init());
      }
    }
    call.setPlaces(local);
  }

  private static PlaceState filled(int tokens) {
    PlaceState place = new PlaceState();
    for (int i = 0; i < tokens; i++) {
      place.add(Context.empty());
    }
    return place;
  }

  /// The place a name means at a frame: the one of the innermost activation, or of the case.
  PlaceState at(ExecState state, Frame from, int index) {
    return at(state, from, slots, index);
  }

  static PlaceState at(ExecState state, Frame from, Pool.PlaceSlot[] slots, int index) {
    Pool.PlaceSlot slot = slots[index];
    if (slot.definition() >= 0) {
      for (Frame frame = from; frame != null; frame = frame.parent) {
        if (frame.kind == Frame.Kind.CALL
            && frame.spec == slot.definition()
            && frame.places != null) {
          return frame.places[slot.slot()];
        }
      }
    }
    return java.util.Objects.requireNonNull(state.places)[index];
  }

  /// Puts a token on a place and serves who waits; false when the place is full.
  boolean put(ExecState state, Frame from, int index, Context payload) {
    PlaceState place = at(state, from, index);
    if (place.tokens.size() >= machine.limits.placeTokens()) {
      return false;
    }
    place.add(payload);
    serve(state, place);
    if (slots[index].place().lifetime() == Place.Lifetime.TRANSIENT) {
      place.clear();
    }
    return true;
  }

  /// A signal from outside.
  Reply signal(ExecState state, int index, Context payload) {
    PlaceState place = at(state, state.root, index);
    int before = place.tokens.size();
    boolean transientPlace = slots[index].place().lifetime() == Place.Lifetime.TRANSIENT;
    if (before >= machine.limits.placeTokens()
        || payload.weight() > machine.limits.contextBytes()) {
      return Reply.REJECTED;
    }
    place.add(payload);
    boolean seen = serve(state, place);
    boolean consumed = place.tokens.size() <= before;
    if (transientPlace) {
      place.clear();
      return consumed || seen ? Reply.ACCEPTED : Reply.LOST;
    }
    if (!consumed && !seen && buffered(state) > machine.limits.bufferedBytes()) {
      place.removeLast();
      return Reply.REJECTED;
    }
    return consumed ? Reply.ACCEPTED : Reply.BUFFERED;
  }

  /// Whether a signal is certain to be rejected because the case keeps as much as it may: no token
  /// waits at the place.
  boolean overflows(ExecState state, int index, Context payload) {
    return slots[index].place().lifetime() != Place.Lifetime.TRANSIENT
        && at(state, state.root, index).waiting.isEmpty()
        && buffered(state) + payload.weight() > machine.limits.bufferedBytes();
  }

  /// How many bytes wait on the external places of the case, roughly.
  private long buffered(ExecState state) {
    long sum = 0;
    for (int i = 0; i < slots.length; i++) {
      if (slots[i].definition() < 0 && slots[i].place().external()) {
        sum += at(state, state.root, i).weight();
      }
    }
    return sum;
  }

  /// Lets waiting tokens take what they can, the longest waiting first; returns whether one did.
  private boolean serve(ExecState state, PlaceState place) {
    boolean any = false;
    Map.Entry<Integer, Token> entry = place.waiting.firstEntry();
    while (entry != null && (!place.tokens.isEmpty() || place.marks > 0)) {
      any |= tryPass(state, entry.getValue());
      entry = place.waiting.higherEntry(entry.getKey());
    }
    return any;
  }

  private boolean tryPass(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (wait.holds) {
      Pool.Region region = machine.pools.regions()[token.frame.spec];
      if (!offered(state, token, Pool.AlternativeKind.TAKE, region.holds())) {
        return false;
      }
      stopWaiting(state, token);
      int before = token.ip;
      own(state, token, region);
      machine.moved(state, TraceEvent.Kind.PASSED, "AWAIT-TAKE", token, before);
      state.wake(token);
      return true;
    }
    List<Pool.Alternative> alternatives = alternatives(token);
    for (Pool.Alternative alternative : alternatives) {
      if (isPlace(alternative) && offered(state, token, alternative)) {
        stopWaiting(state, token);
        int before = token.ip;
        pass(state, token, alternative);
        machine.moved(state, TraceEvent.Kind.PASSED, "AWAIT-TAKE", token, before);
        state.wake(token);
        return true;
      }
    }
    return false;
  }

  private List<Pool.Alternative> alternatives(Token token) {
    return machine.pools.awaits()[machine.program.raw().code()[token.ip + 1]].alternatives();
  }

  private static boolean isPlace(Pool.Alternative alternative) {
    return alternative.kind() == Pool.AlternativeKind.TAKE
        || alternative.kind() == Pool.AlternativeKind.TEST;
  }

  private boolean offered(ExecState state, Token token, Pool.Alternative alternative) {
    return offered(state, token, alternative.kind(), alternative.places());
  }

  private boolean offered(ExecState state, Token token, Pool.AlternativeKind kind, int[] places) {
    for (int place : places) {
      if (!at(state, token.frame, place).offers(kind)) {
        return false;
      }
    }
    return true;
  }

  /// PartMarks the place of a scope that has been entered and serves who waits for it.
  void mark(ExecState state, Frame frame, int index) {
    PlaceState place = at(state, frame, index);
    place.marks++;
    serve(state, place);
  }

  /// Takes back the mark of a scope that is closed.
  void unmark(ExecState state, Frame frame, int index) {
    PlaceState place = at(state, frame, index);
    Invariant.check(place.marks > 0, "I19 an open scope marks its place once", frame.id);
    place.marks--;
  }

  /// Takes an alternative: tokens leave their places, payloads enter the context.
  private void pass(ExecState state, Token token, Pool.Alternative alternative) {
    Context context = token.context;
    Context written = Context.empty();
    for (int index : alternative.places()) {
      PlaceState place = at(state, token.frame, index);
      if (alternative.kind() == Pool.AlternativeKind.TAKE) {
        Context payload = place.remove();
        context = Wait.receive(context, payload);
        written = written.withAll(payload);
      }
    }
    boolean hides = !written.isEmpty() && machine.writes.concern(token.frame);
    if (context != token.context || hides) {
      state.steps++;
      token.setStamps(
          machine.writes.keys(token.stamps, token.frame, context, written, state.steps));
      token.setContext(context);
      machine.wrote(state, token, "payload");
    }
    token.setIp(alternative.target());
  }

  /// The instruction: takes the first alternative that is enabled, or waits.
  void await(ExecState state, Token token, Pool.Await await) {
    for (Pool.Alternative alternative : await.alternatives()) {
      boolean enabled =
          switch (alternative.kind()) {
            case TAKE, TEST -> offered(state, token, alternative);
            case AFTER -> alternative.millis() <= 0;
            case EXPIRED -> false;
          };
      if (enabled) {
        pass(state, token, alternative);
        return;
      }
    }
    Wait wait = new Wait(++state.lastWait);
    token.setWait(wait);
    setTimer(state, token, wait, await);
    register(state, token);
  }

  private void setTimer(ExecState state, Token token, Wait wait, Pool.Await await) {
    wait.setTimerAlternative(shortest(await));
    if (wait.timerAlternative >= 0) {
      long millis = await.alternatives().get(wait.timerAlternative).millis();
      wait.setDue(Timers.after(state.clock, millis));
      state.timers().add(wait.due, wait.number, token);
    }
  }

  /// The alternative that time takes first, or -1.
  static int shortest(Pool.Await await) {
    List<Pool.Alternative> alternatives = await.alternatives();
    int shortest = -1;
    long least = Timers.NEVER;
    for (int i = 0; i < alternatives.size(); i++) {
      Pool.Alternative alternative = alternatives.get(i);
      if (alternative.kind() == Pool.AlternativeKind.AFTER && alternative.millis() < least) {
        least = alternative.millis();
        shortest = i;
      }
    }
    return shortest;
  }

  /// The timer of a wait has fired.
  void timer(ExecState state, Token token) {
    int index = java.util.Objects.requireNonNull(token.wait).timerAlternative;
    Pool.Alternative alternative = alternatives(token).get(index);
    stopWaiting(state, token);
    int before = token.ip;
    token.setIp(alternative.target());
    machine.moved(state, TraceEvent.Kind.PASSED, "AWAIT-AFTER", token, before);
    state.wake(token);
  }

  /// Enters a token that has just begun to wait into every index; also used after decoding.
  void register(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    token.setState(Token.State.AWAIT);
    state.awaits().put(wait.number, token);
    if (state.awaitNames != null) {
      state.awaitNames.add(token.ip);
    }
    eachPlace(token, index -> at(state, token.frame, index).waiting.put(wait.number, token));
    for (int[] places : awaited(token)) {
      int external = 0;
      for (int place : places) {
        external += slots[place].place().external() ? 1 : 0;
      }
      wait.external |= external > 0 && external == places.length;
      wait.mixed |= external > 0 && external < places.length;
    }
    wait.mixed &= !wait.external;
    if (!wait.holds) {
      for (Pool.Alternative alternative : alternatives(token)) {
        wait.expires |= alternative.kind() == Pool.AlternativeKind.EXPIRED;
      }
    }
    state.externalWaits += wait.external ? 1 : 0;
    state.mixedWaits += wait.mixed ? 1 : 0;
    state.expiringWaits += wait.expires ? 1 : 0;
  }

  /// Ends a wait, whatever ended it.
  void stopWaiting(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    state.awaits().remove(wait.number);
    if (state.awaitNames != null) {
      state.awaitNames.remove(token.ip);
    }
    eachPlace(token, index -> at(state, token.frame, index).waiting.remove(wait.number));
    state.externalWaits -= wait.external ? 1 : 0;
    state.mixedWaits -= wait.mixed ? 1 : 0;
    state.expiringWaits -= wait.expires ? 1 : 0;
    token.setWait(null);
  }

  private void eachPlace(Token token, java.util.function.IntConsumer action) {
    if (java.util.Objects.requireNonNull(token.wait).holds) {
      for (int index : machine.pools.regions()[token.frame.spec].holds()) {
        action.accept(index);
      }
      return;
    }
    for (Pool.Alternative alternative : alternatives(token)) {
      for (int index : alternative.places()) {
        action.accept(index);
      }
    }
  }

  /// Gets a scope's token the places it holds, or makes it wait for them.
  void hold(ExecState state, Token token, Pool.Region region) {
    if (offered(state, token, Pool.AlternativeKind.TAKE, region.holds())) {
      own(state, token, region);
    } else {
      Wait wait = new Wait(++state.lastWait);
      wait.setHolds(true);
      token.setWait(wait);
      register(state, token);
    }
  }

  private void own(ExecState state, Token token, Pool.Region region) {
    List<Context> held = new ArrayList<>();
    for (int index : region.holds()) {
      held.add(at(state, token.frame, index).remove());
    }
    java.util.Objects.requireNonNull(token.frame.scope).setHeld(List.copyOf(held));
    token.setIp(token.ip + Code.length(Code.CANCEL_SCOPE));
  }

  /// Gives back what a scope held.
  void giveBack(ExecState state, Frame frame) {
    Frame.Scope scope = frame.scope;
    if (scope == null || scope.held.isEmpty()) {
      return;
    }
    List<Context> held = scope.held;
    scope.setHeld(List.of());
    int[] holds = machine.pools.regions()[frame.spec].holds();
    for (int i = 0; i < holds.length; i++) {
      PlaceState place = at(state, frame, holds[i]);
      place.add(held.get(i));
      serve(state, place);
      if (slots[holds[i]].place().lifetime() == Place.Lifetime.TRANSIENT) {
        place.clear();
      }
    }
  }

  /// Takes the `expired` alternative of the longest waiting token for which nothing can come. Where
  /// no token expires because the expiry of another could help it, they block each other; then that
  /// does not count.
  boolean expire(ExecState state) {
    return expire(state, true) || (state.expiringWaits > 1 && expire(state, false));
  }

  private boolean expire(ExecState state, boolean others) {
    Decision.Kind kind = others ? Decision.Kind.EXPIRED : Decision.Kind.EXPIRED_CIRCLE;
    for (Token token : state.awaits().values()) {
      Wait wait = java.util.Objects.requireNonNull(token.wait);
      if (wait.expires
          && !wait.external
          && isHopeless(state, token, others)
          && machine.allows(state, kind, token.frame, -1, wait.number)) {
        for (Pool.Alternative alternative : alternatives(token)) {
          if (alternative.kind() == Pool.AlternativeKind.EXPIRED) {
            stopWaiting(state, token);
            int before = token.ip;
            token.setIp(alternative.target());
            machine.moved(state, TraceEvent.Kind.PASSED, "AWAIT-EXPIRED", token, before);
            state.wake(token);
            return true;
          }
        }
      }
    }
    return false;
  }

  /// Whether no place alternative of a token can ever be enabled.
  private boolean isHopeless(ExecState state, Token token, boolean others) {
    Arrivals arrivals = new Arrivals(machine, state, Arrivals.Question.expiry(token, others));
    for (Pool.Alternative alternative : alternatives(token)) {
      if (isPlace(alternative)
          && arrivals.canEnable(token, alternative.kind(), alternative.places())) {
        return false;
      }
    }
    return true;
  }

  /// Whether signals alone can enable an alternative of some waiting token.
  boolean awaitsSignal(ExecState state) {
    for (Token token : state.awaits().values()) {
      Wait wait = java.util.Objects.requireNonNull(token.wait);
      if (wait.mixed && wait.holds) {
        int[] holds = machine.pools.regions()[token.frame.spec].holds();
        if (awaitsSignal(state, token, Pool.AlternativeKind.TAKE, holds)) {
          return true;
        }
      } else if (wait.mixed) {
        for (Pool.Alternative alternative : alternatives(token)) {
          if (isPlace(alternative)
              && awaitsSignal(state, token, alternative.kind(), alternative.places())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean awaitsSignal(
      ExecState state, Token token, Pool.AlternativeKind kind, int[] places) {
    for (int place : places) {
      if (!slots[place].place().external() && !at(state, token.frame, place).offers(kind)) {
        return false;
      }
    }
    return true;
  }

  /// The places of each alternative of a wait; those a scope holds are one alternative.
  private List<int[]> awaited(Token token) {
    return java.util.Objects.requireNonNull(token.wait).holds
        ? List.of(machine.pools.regions()[token.frame.spec].holds())
        : alternatives(token).stream().map(Pool.Alternative::places).toList();
  }
}
