package dev.damask.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tokens that can move, the smallest id first.
///
/// New tokens have growing ids, so they go to a ring and come out in order for nothing; only tokens
/// that waited and were woken need the heap beside it. A token that was removed stays where it is
/// and is skipped when it comes up.
public final class Ready {
  private @Nullable Token[] ring = new Token[8];
  private int head;
  private int size;
  private int newest;
  private @Nullable Token[] heap = new Token[4];
  private int woken;

  public void add(Token token) {
    if (token.id > newest) {
      newest = token.id;
      if (size == ring.length) {
        growRing();
      }
      ring[(head + size++) & (ring.length - 1)] = token;
    } else {
      push(token);
    }
  }

  /// Takes the ready token with the smallest id; null when there is none.
  public @Nullable Token poll() {
    Token fresh = peekRing();
    Token old = peekHeap();
    if (old == null || (fresh != null && fresh.id < old.id)) {
      if (fresh != null) {
        dropRing();
      }
      return fresh;
    }
    pop();
    return old;
  }

  /// Whether a token with a smaller id could move.
  public boolean hasBefore(int id) {
    Token fresh = peekRing();
    Token old = peekHeap();
    return (fresh != null && fresh.id < id) || (old != null && old.id < id);
  }

  public boolean isEmpty() {
    return peekRing() == null && peekHeap() == null;
  }

  /// All ready tokens in ascending order of their ids.
  public List<Token> all() {
    List<Token> tokens = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      addIfReady(tokens, ring[(head + i) & (ring.length - 1)]);
    }
    for (int i = 0; i < woken; i++) {
      addIfReady(tokens, heap[i]);
    }
    tokens.sort((one, other) -> Integer.compare(one.id, other.id));
    return tokens;
  }

  private static void addIfReady(List<Token> tokens, @Nullable Token token) {
    if (token != null && token.state == Token.State.READY) {
      tokens.add(token);
    }
  }

  /// Takes one particular ready token.
  public void remove(Token token) {
    List<Token> rest = all();
    rest.remove(token);
    Arrays.fill(ring, null);
    Arrays.fill(heap, null);
    head = 0;
    size = 0;
    woken = 0;
    newest = 0;
    rest.forEach(this::add);
    newest = Math.max(newest, token.id);
  }

  private @Nullable Token peekRing() {
    while (size > 0) {
      Token token = ring[head];
      if (token != null && token.state == Token.State.READY) {
        return token;
      }
      dropRing();
    }
    return null;
  }

  private void dropRing() {
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    size--;
  }

  private void growRing() {
    @Nullable Token[] larger = new Token[ring.length * 2];
    for (int i = 0; i < size; i++) {
      larger[i] = ring[(head + i) & (ring.length - 1)];
    }
    ring = larger;
    head = 0;
  }

  private @Nullable Token peekHeap() {
    while (woken > 0) {
      Token token = heap[0];
      if (token != null && token.state == Token.State.READY) {
        return token;
      }
      pop();
    }
    return null;
  }

  private void push(Token token) {
    if (woken == heap.length) {
      heap = Arrays.copyOf(heap, woken * 2);
    }
    int at = woken++;
    while (at > 0 && idAt((at - 1) >>> 1) > token.id) {
      heap[at] = heap[(at - 1) >>> 1];
      at = (at - 1) >>> 1;
    }
    heap[at] = token;
  }

  private void pop() {
    Token last = heap[--woken];
    heap[woken] = null;
    if (woken == 0 || last == null) {
      return;
    }
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= woken) {
        break;
      }
      if (child + 1 < woken && idAt(child + 1) < idAt(child)) {
        child++;
      }
      if (idAt(child) >= last.id) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
  }

  private int idAt(int index) {
    Token token = heap[index];
    return token == null ? Integer.MAX_VALUE : token.id;
  }
}
