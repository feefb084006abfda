package dev.damask.exec;

import dev.damask.exec.Marks.Entries;
import dev.damask.program.ProgramHash;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads the records that [StateLog] wrote: a base and the deltas after it. It trusts nothing: each
/// record must begin with the sum that the one before ended with, and the sum of the state that
/// results must be the one that the last record names.
public final class StateRecords {
  private final Hashing hashing;
  private final SharedValues values = new SharedValues();
  private final Function<Sum, byte @Nullable []> source;
  private final Map<Sum, Object> decoded = new HashMap<>();
  private ContextNumbers contexts;
  private final Parts parts = new Parts();

  /// The fields of a part, and the numbers of its contexts.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Piece(byte[] body, int[] contexts) {}

  /// The parts of a state as they were read.
  static final class Parts {
    final TreeMap<Integer, Piece> frames = new TreeMap<>();
    final TreeMap<Integer, Piece> tokens = new TreeMap<>();
    final Map<Integer, TreeMap<Long, Piece>> entries = new HashMap<>();
    Piece head = new Piece(new byte[0], new int[0]);

    /// The entries of a frame, or of the case.
    TreeMap<Long, Piece> of(int owner) {
      return entries.getOrDefault(owner, new TreeMap<>());
    }

    void clear() {
      frames.clear();
      tokens.clear();
      entries.clear();
    }
  }

  /// What a record says about itself.
  ///
  /// @param program null for a delta
  /// @param values the hashes of the values it refers to
  public record Header(
      boolean isBase, @Nullable ProgramHash program, Sum before, Sum after, List<Sum> values) {}

  private StateRecords(StateLog.CaseKey key, Function<Sum, byte @Nullable []> source) {
    this.hashing = new Hashing(key.caseId(), key.valueKey());
    this.source = source;
    this.contexts = new ContextNumbers(hashing, values);
  }

  /// Reads a state, and the log that goes on with its records.
  ///
  /// @param records a base and the deltas after it
  /// @param values gives the encoded value of a hash; null when it has none
  public static StateLog load(
      Machine machine,
      StateLog.CaseKey key,
      List<byte[]> records,
      Function<Sum, byte @Nullable []> values) {
    try {
      return new StateRecords(key, values).read(machine, key, records);
    } catch (IndexOutOfBoundsException
        | NullPointerException
        | IllegalStateException
        | Invariant.Broken e) {
      // Bytes that no log wrote: the parts do not fit together.
      throw new DamagedBytes("the state does not fit its program: " + e.getMessage());
    }
  }

  /// The header of a record.
  public static Header header(byte[] record) {
    return header(new Decoder(record));
  }

  private static Header header(Decoder in) {
    int format = in.octet();
    if (format != StateLog.FORMAT) {
      throw new DamagedBytes(
          "a record has format " + format + ", this version reads format " + StateLog.FORMAT);
    }
    boolean isBase = in.below(2) == StateLog.BASE;
    ProgramHash program = isBase ? new ProgramHash(in.fixed(), in.fixed()) : null;
    Sum before = Sum.read(in);
    Sum after = Sum.read(in);
    List<Sum> used = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      used.add(Sum.read(in));
    }
    return new Header(isBase, program, before, after, List.copyOf(used));
  }

  private StateLog read(Machine machine, StateLog.CaseKey key, List<byte[]> records) {
    Sum last = Sum.ZERO;
    long base = 0;
    long deltas = 0;
    for (int i = 0; i < records.size(); i++) {
      Decoder in = new Decoder(records.get(i));
      Header header = header(in);
      if (header.isBase() != (i == 0)) {
        throw new DamagedBytes("expected a base and then deltas");
      }
      if (header.program() != null && !header.program().equals(machine.program.hash())) {
        throw new DamagedBytes(
            "the state belongs to program "
                + header.program()
                + ", this is "
                + machine.program.name()
                + " "
                + machine.program.hash());
      }
      if (i > 0 && !header.before().equals(last)) {
        throw new DamagedBytes("a delta does not follow the record before it");
      }
      last = header.after();
      base += i == 0 ? records.get(i).length : 0;
      deltas += i == 0 ? 0 : records.get(i).length;
      header.values().forEach(values::known);
      record(in);
    }
    StateAssembly assembly = new StateAssembly(machine, parts);
    ExecState state = assembly.state(contexts.all());
    StateLog log = new StateLog(state, key, values, contexts);
    log.loaded(base, deltas);
    if (contexts.defined() > 0 || !log.sum().equals(last)) {
      throw new DamagedBytes("the sum of the state is wrong: its records are damaged");
    }
    return log;
  }

  private void record(Decoder in) {
    for (int left = in.count(); left > 0; left--) {
      define(in);
    }
    for (int left = in.count(); left > 0; left--) {
      part(in);
    }
    in.requireEnd();
  }

  private void define(Decoder in) {
    int from = in.below(contexts.all().size());
    Context context = contexts.all().get(from);
    for (int left = in.count(); left > 0; left--) {
      String key = in.text();
      context =
          switch (in.octet()) {
            case ContextNumbers.REMOVED -> context.without(key);
            case ContextNumbers.INLINE -> context.with(key, in.value());
            case ContextNumbers.SHARED -> context.with(key, shared(Sum.read(in)));
            default -> throw in.damaged("a change of a context has no such kind");
          };
    }
    contexts.read(context, from);
  }

  private Object shared(Sum hash) {
    Object known = decoded.get(hash);
    if (known == null) {
      byte[] bytes = source.apply(hash);
      if (bytes == null) {
        throw new DamagedBytes("value " + hash + " is missing");
      }
      if (!hashing.shared(bytes, bytes.length).equals(hash)) {
        throw new DamagedBytes("value " + hash + " is damaged");
      }
      Decoder in = new Decoder(bytes);
      known = java.util.Objects.requireNonNull(in.value());
      in.requireEnd();
      decoded.put(hash, known);
    }
    return known;
  }

  private void part(Decoder in) {
    int octet = in.octet();
    int kind = octet & ~StateLog.GONE;
    boolean isGone = octet != kind;
    int owner = in.below(Integer.MAX_VALUE);
    switch (kind) {
      case PartWriter.HEAD -> parts.head = piece(in);
      case PartWriter.FRAME -> {
        if (isGone) {
          remove(in, parts.frames, owner);
          parts.entries.remove(owner);
        } else {
          parts.frames.put(owner, piece(in));
        }
      }
      case PartWriter.TOKEN -> {
        if (isGone) {
          remove(in, parts.tokens, owner);
        } else {
          parts.tokens.put(owner, piece(in));
        }
      }
      default -> {
        long number = in.natural();
        TreeMap<Long, Piece> of = parts.entries.computeIfAbsent(owner, _ -> new TreeMap<>());
        long key = Entries.key(kind, number);
        if (number < 0 || Entries.number(key) != number || kind > Entries.LATE) {
          throw in.damaged("an entry has no such number");
        }
        if (isGone) {
          remove(in, of, key);
        } else {
          of.put(key, piece(in));
        }
      }
    }
  }

  private static <K> void remove(Decoder in, TreeMap<K, Piece> from, K key) {
    if (from.remove(key) == null) {
      throw in.damaged("a part is removed that was not there");
    }
  }

  private Piece piece(Decoder in) {
    byte[] body = in.raw(in.count());
    int[] numbers = new int[in.count()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.below(contexts.all().size() + 1);
    }
    return new Piece(body, numbers);
  }
}
