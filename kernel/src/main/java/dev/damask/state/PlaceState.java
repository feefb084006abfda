package dev.damask.state;

import dev.damask.program.Pool;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The tokens and marks on a place, and who waits for one, the longest waiting first.
public final class PlaceState {
  /// The oldest first. Only methods of this class change it.
  public final Deque<Context> tokens;

  /// The sum of the weights of the tokens. Not stored, as it follows from them.
  private long weight;

  /// The number of the oldest among all that were ever there.
  public long first;

  /// The frame it belongs to; null for a place of the case, and while the state is being built.
  private @Nullable Frame frame;

  private @Nullable PartMarks changes; // null while the state is being built
  private int index;

  /// How many open scopes mark the place: `test` sees these marks, `take` does not. Not stored, as
  /// it follows from the open frames.
  public int marks;

  /// Waiting tokens by the number of their wait.
  public final TreeMap<Integer, Token> waiting = new TreeMap<>();

  public PlaceState() {
    this(new ArrayDeque<>(1));
  }

  /// @param tokens empty; keeps the tokens
  public PlaceState(Deque<Context> tokens) {
    this.tokens = tokens;
  }

  /// Makes the places of a call mark its frame.
  public static void own(PlaceState[] places, Frame frame) {
    own(places, frame.marks, frame);
  }

  /// Makes places mark their owner.
  ///
  /// @param frame null for the places of the case
  public static void own(PlaceState[] places, PartMarks marks, @Nullable Frame frame) {
    for (int i = 0; i < places.length; i++) {
      places[i].frame = frame;
      places[i].changes = marks;
      places[i].index = i;
    }
  }

  /// Puts a token on the place.
  public void add(Context payload) {
    touch(first + tokens.size());
    load(payload);
  }

  /// Puts a token on the place of a state that is being built: nothing is marked.
  public void load(Context payload) {
    tokens.add(payload);
    weight += payload.weight();
  }

  /// The sum of the weights of the tokens.
  public long weight() {
    return weight;
  }

  /// Takes the oldest token.
  public Context remove() {
    touch(first++);
    Context payload = tokens.remove();
    weight -= payload.weight();
    restart();
    return payload;
  }

  /// Takes the newest token back.
  public void removeLast() {
    weight -= tokens.removeLast().weight();
    touch(first + tokens.size());
    restart();
  }

  /// An empty place numbers its tokens from 0, as one that is read does.
  private void restart() {
    first = tokens.isEmpty() ? 0 : first;
  }

  public void clear() {
    while (!tokens.isEmpty()) {
      remove();
    }
  }

  /// The token of a number; null when there is none. Those at the ends are found at once.
  public @Nullable Context at(long number) {
    long left = number - first;
    if (left < 0 || left >= tokens.size()) {
      return null;
    }
    boolean isNew = left >= tokens.size() / 2;
    var tokensInOrder = isNew ? tokens.descendingIterator() : tokens.iterator();
    for (long skip = isNew ? tokens.size() - 1 - left : left; skip > 0; skip--) {
      tokensInOrder.next();
    }
    return tokensInOrder.next();
  }

  private void touch(long number) {
    long entry = PartMarks.Entries.token(index, number);
    if (frame != null) {
      frame.touch(PartMarks.Entries.PLACE, entry);
    } else if (changes != null && changes.isOn()) {
      changes.ofCase().touch(PartMarks.Entries.key(PartMarks.Entries.PLACE, entry));
    }
  }

  /// Whether an alternative of this kind finds what it needs here.
  public boolean offers(Pool.AlternativeKind kind) {
    return !tokens.isEmpty() || (kind == Pool.AlternativeKind.TEST && marks > 0);
  }
}
