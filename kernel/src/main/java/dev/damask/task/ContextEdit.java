package dev.damask.task;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Several changes of a context, which is copied once for all of them.
public final class ContextEdit {
  private Context context;

  /// The entries so far, when they are others than those of the context.
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

  public ContextEdit put(String key, @Nullable Object value) {
    @Nullable Object[] table = cells == null ? context.cells : cells;
    int at = Context.find(table, context.tree == null ? size : 0, key);
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
      @Nullable Object[] longer = new Object[2 * size + 2];
      System.arraycopy(table, 0, longer, 0, insertion);
      longer[insertion] = key;
      longer[insertion + 1] = canonical;
      System.arraycopy(table, insertion, longer, insertion + 2, 2 * size - insertion);
      table = longer;
      size++;
      weight += Context.weight(key, canonical);
      marks |= Context.mark(key);
    }
    cells = table;
    return this;
  }

  /// As many times [#put].
  public ContextEdit putAll(Context other) {
    boolean isSmall = context.tree == null && other.tree == null && other.size > 0;
    @Nullable Object[] table = cells == null ? context.cells : cells;
    if (isSmall
        && size + other.size <= Context.SMALL_MAX
        && (size == 0
            || Context.compare(Context.keyAt(table, 2 * size - 2), Context.keyAt(other.cells, 0))
                < 0)) {
      cells = Arrays.copyOf(table, 2 * (size + other.size));
      System.arraycopy(other.cells, 0, cells, 2 * size, 2 * other.size);
      size += other.size;
      weight += other.weight;
      marks |= other.marks;
      return this;
    }
    other.forEach(this::put);
    return this;
  }

  /// The context with all changes.
  public Context done() {
    if (cells != null) {
      context = new Context(cells, null, size, weight, marks);
      cells = null;
    }
    return context;
  }
}
