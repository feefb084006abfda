package dev.damask.value;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Several changes of a context, which is copied once for all of them and whenever it is full.
public final class ContextEdit {
  private static final int SPARE = 4;

  private Context context;

  /// The entries so far, and room for more; null while they are those of the context.
  private @Nullable Object @Nullable [] cells;

  private int size;
  private int weight;
  private long marks;

  ContextEdit(Context context) {
    this.context = context;
    this.size = context.size;
    this.weight = context.weight;
    this.marks = context.marks;
  }

  /// Sets the value of a key.
  public ContextEdit put(String key, @Nullable Object value) {
    @Nullable Object[] table = cells == null ? context.cells : cells;
    boolean isAbsent = (marks & Context.mark(key)) == 0;
    int entries = context.tree == null ? size : 0;
    int at = isAbsent ? Context.search(table, entries, key) : Context.find(table, entries, key);
    if (context.tree != null || (at < 0 && size == Context.SMALL_MAX)) {
      context = done().with(key, value);
      return this;
    }
    Object canonical = Values.of(value);
    if (at >= 0) {
      table = cells == null ? table.clone() : table;
      weight += Values.weight(canonical) - Values.weight(table[at + 1]);
      table[at + 1] = canonical;
    } else {
      int insertion = -at - 1;
      if (cells == null || table.length < 2 * size + 2) {
        table = Arrays.copyOf(table, 2 * (size + SPARE));
      }
      System.arraycopy(table, insertion, table, insertion + 2, 2 * size - insertion);
      table[insertion] = key;
      table[insertion + 1] = canonical;
      size++;
      weight += Context.weight(key, canonical);
      marks |= Context.mark(key);
    }
    cells = table;
    return this;
  }

  /// The context with all changes.
  public Context done() {
    if (cells != null) {
      boolean isFull = cells.length == 2 * size;
      @Nullable Object[] all = isFull ? cells : Arrays.copyOf(cells, 2 * size);
      context = new Context(all, null, size, weight, marks);
      cells = null;
    }
    return context;
  }
}
