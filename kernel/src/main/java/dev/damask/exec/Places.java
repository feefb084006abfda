package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.task.Context;
import dev.damask.term.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
    state.places = all;
  }

  /// Makes the places that belong to one activation of a definition.
  void openLocal(ExecState state, Frame call, int definition) {
    PlaceState[] local = new PlaceState[machine.pools.entries()[definition].localPlaces()];
    for (Pool.PlaceSlot slot : slots) {
      if (slot.definition() == definition) {
        local[slot.slot()] = filled(slot.place().init());
      }
    }
    call.places = local;
  }

  private static PlaceState filled(int tokens) {
    PlaceState place = new PlaceState();
    for (int i = 0; i < tokens; i++) {
      place.tokens.add(Context.empty());
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
    place.tokens.add(payload);
    serve(state, place);
    if (slots[index].place().lifetime() == Place.Lifetime.TRANSIENT) {
      place.tokens.clear();
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
    place.tokens.add(payload);
    boolean seen = serve(state, place);
    boolean consumed = place.tokens.size() <= before;
    if (transientPlace) {
      place.tokens.clear();
      return consumed || seen ? Reply.ACCEPTED : Reply.LOST;
    }
    return consumed ? Reply.ACCEPTED : Reply.BUFFERED;
  }

  /// Lets waiting tokens take what they can, the longest waiting first; says whether one did.
  private boolean serve(ExecState state, PlaceState place) {
    boolean any = false;
    Map.Entry<Integer, Token> entry = place.waiting.firstEntry();
    while (entry != null && !place.tokens.isEmpty()) {
      any |= tryPass(state, entry.getValue());
      entry = place.waiting.higherEntry(entry.getKey());
    }
    return any;
  }

  private boolean tryPass(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (wait.holds) {
      Pool.Region region = machine.pools.regions()[token.frame.spec];
      if (!marked(state, token, region.holds())) {
        return false;
      }
      stopWaiting(state, token);
      own(state, token, region);
      state.wake(token);
      return true;
    }
    List<Pool.Alternative> alternatives = alternatives(token);
    for (Pool.Alternative alternative : alternatives) {
      if (isPlace(alternative) && marked(state, token, alternative.places())) {
        stopWaiting(state, token);
        pass(state, token, alternative);
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

  private boolean marked(ExecState state, Token token, int[] places) {
    for (int place : places) {
      if (at(state, token.frame, place).tokens.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /// Takes an alternative: tokens leave their places, payloads enter the context.
  private void pass(ExecState state, Token token, Pool.Alternative alternative) {
    Context context = token.context;
    for (int index : alternative.places()) {
      PlaceState place = at(state, token.frame, index);
      if (alternative.kind() == Pool.AlternativeKind.TAKE) {
        context = Wait.receive(context, place.tokens.remove());
      }
    }
    if (context != token.context) {
      state.steps++;
      if (machine.stamps) {
        token.stamps = Merging.stamp(token.stamps, token.context, context, state.steps);
      }
      token.context = context;
    }
    token.ip = alternative.target();
  }

  /// The instruction: takes the first alternative that is enabled, or waits.
  void await(ExecState state, Token token, Pool.Await await) {
    for (Pool.Alternative alternative : await.alternatives()) {
      boolean enabled =
          switch (alternative.kind()) {
            case TAKE, TEST -> marked(state, token, alternative.places());
            case AFTER -> alternative.millis() <= 0;
            case EXPIRED -> false;
          };
      if (enabled) {
        pass(state, token, alternative);
        return;
      }
    }
    Wait wait = new Wait(++state.lastWait);
    token.wait = wait;
    setTimer(state, token, wait, await);
    register(state, token);
  }

  private void setTimer(ExecState state, Token token, Wait wait, Pool.Await await) {
    wait.timerAlternative = shortest(await);
    if (wait.timerAlternative >= 0) {
      long millis = await.alternatives().get(wait.timerAlternative).millis();
      wait.due = Timers.after(state.clock, millis);
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
    token.ip = alternative.target();
    state.wake(token);
  }

  /// Enters a token that has just begun to wait into every index; also used after decoding.
  void register(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    token.state = Token.State.AWAIT;
    state.awaits().put(wait.number, token);
    eachPlace(
        token,
        index -> {
          at(state, token.frame, index).waiting.put(wait.number, token);
          wait.external |= slots[index].place().external();
        });
    if (!wait.holds) {
      for (Pool.Alternative alternative : alternatives(token)) {
        wait.expires |= alternative.kind() == Pool.AlternativeKind.EXPIRED;
      }
    }
    state.externalWaits += wait.external ? 1 : 0;
    state.expiringWaits += wait.expires ? 1 : 0;
  }

  /// Ends a wait, whatever ended it.
  void stopWaiting(ExecState state, Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    state.awaits().remove(wait.number);
    eachPlace(token, index -> at(state, token.frame, index).waiting.remove(wait.number));
    state.externalWaits -= wait.external ? 1 : 0;
    state.expiringWaits -= wait.expires ? 1 : 0;
    token.wait = null;
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

  /// Gets a scope's token the places it holds, or lets it wait for them.
  void hold(ExecState state, Token token, Pool.Region region) {
    if (marked(state, token, region.holds())) {
      own(state, token, region);
    } else {
      Wait wait = new Wait(++state.lastWait);
      wait.holds = true;
      token.wait = wait;
      register(state, token);
    }
  }

  private void own(ExecState state, Token token, Pool.Region region) {
    List<Context> held = new ArrayList<>();
    for (int index : region.holds()) {
      held.add(at(state, token.frame, index).tokens.remove());
    }
    java.util.Objects.requireNonNull(token.frame.scope).held = List.copyOf(held);
    token.ip += Code.length(Code.CANCEL_SCOPE);
  }

  /// Gives back what a scope held.
  void giveBack(ExecState state, Frame frame) {
    Frame.Scope scope = frame.scope;
    if (scope == null || scope.held.isEmpty()) {
      return;
    }
    List<Context> held = scope.held;
    scope.held = List.of();
    int[] holds = machine.pools.regions()[frame.spec].holds();
    for (int i = 0; i < holds.length; i++) {
      PlaceState place = at(state, frame, holds[i]);
      place.tokens.add(held.get(i));
      serve(state, place);
      if (slots[holds[i]].place().lifetime() == Place.Lifetime.TRANSIENT) {
        place.tokens.clear();
      }
    }
  }

  /// Takes the `expired` alternative of the longest waiting token for which nothing can come.
  boolean expire(ExecState state) {
    TreeMap<Integer, Token> waiting = state.awaits();
    for (Token token : waiting.values()) {
      if (!java.util.Objects.requireNonNull(token.wait).expires) {
        continue;
      }
      Pool.@Nullable Alternative expired = null;
      boolean possible = false;
      Arrivals arrivals = new Arrivals(machine, state, token);
      for (Pool.Alternative alternative : alternatives(token)) {
        if (alternative.kind() == Pool.AlternativeKind.EXPIRED) {
          expired = alternative;
        } else if (isPlace(alternative)) {
          possible |= arrivals.canEnable(token, alternative.places());
        }
      }
      if (!possible && expired != null) {
        stopWaiting(state, token);
        token.ip = expired.target();
        state.wake(token);
        return true;
      }
    }
    return false;
  }
}
