package dev.damask.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Waiting tokens by id: an open table, so that finding or dropping one of a hundred thousand costs
/// one look into memory and not a walk along links.
public final class TokenTable {
  private static final int SMALLEST = 8;

  private @Nullable Token[] cells = new Token[SMALLEST];
  private int size;

  /// The names that the tokens wait for; created on demand if there are many.
  private @Nullable WaitNames counts;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public void put(Token token) {
    if (counts != null) {
      counts.add(token.ip);
    }
    insert(token);
  }

  private void insert(Token token) {
    if (2 * (size + 1) > cells.length) {
      grow();
    }
    int at = home(token.id);
    while (cells[at] != null) {
      at = (at + 1) & (cells.length - 1);
    }
    cells[at] = token;
    size++;
  }

  public @Nullable Token get(int id) {
    int at = find(id);
    return at < 0 ? null : cells[at];
  }

  public void remove(int id) {
    int gap = find(id);
    if (gap < 0) {
      return;
    }
    size--;
    if (counts != null) {
      counts.remove(Objects.requireNonNull(cells[gap]).ip);
    }
    int mask = cells.length - 1;
    int at = (gap + 1) & mask;
    Token token = cells[at];
    while (token != null) {
      // A token may move into the gap unless its home lies behind it.
      if (((at - home(token.id)) & mask) >= ((at - gap) & mask)) {
        cells[gap] = token;
        gap = at;
      }
      at = (at + 1) & mask;
      token = cells[at];
    }
    cells[gap] = null;
  }

  /// All tokens in the order their waits began.
  public List<Token> inOrder() {
    List<Token> tokens = new ArrayList<>(size);
    for (Token token : cells) {
      if (token != null) {
        tokens.add(token);
      }
    }
    tokens.sort(Comparator.comparingInt(token -> Objects.requireNonNull(token.wait).number));
    return tokens;
  }

  /// The names that tokens wait for, each once, in order. With many tokens they are counted, so
  /// that asking again visits none of them.
  public Collection<String> names(IntFunction<List<String>> namesAt) {
    if (counts == null && size > WaitNames.COUNTED_MIN) {
      counts = new WaitNames(namesAt);
      for (Token token : cells) {
        if (token != null) {
          counts.add(token.ip);
        }
      }
    }
    if (counts != null) {
      return counts.names();
    }
    TreeSet<Integer> found = new TreeSet<>();
    for (Token token : cells) {
      if (token != null) {
        found.add(token.ip);
      }
    }
    return WaitNames.of(found, namesAt);
  }

  private int find(int id) {
    int at = home(id);
    Token token = cells[at];
    while (token != null) {
      if (token.id == id) {
        return at;
      }
      at = (at + 1) & (cells.length - 1);
      token = cells[at];
    }
    return -1;
  }

  /// Ids are dense, so neighbours in time are neighbours in the table.
  private int home(int id) {
    return id & (cells.length - 1);
  }

  private void grow() {
    @Nullable Token[] old = cells;
    cells = new Token[old.length * 2];
    size = 0;
    for (Token token : old) {
      if (token != null) {
        insert(token);
      }
    }
  }
}
