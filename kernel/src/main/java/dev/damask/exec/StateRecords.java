package dev.damask.exec;

import dev.damask.encoding.ContextNumbers;
import dev.damask.encoding.Hashing;
import dev.damask.encoding.SharedValues;
import dev.damask.program.ProgramHash;
import dev.damask.state.Invariant;
import dev.damask.state.PartMarks.Entries;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads the records that [StateLog] wrote: a base and the deltas after it. It trusts nothing: each
/// record must begin with the sum that the one before ended with, and the sum of the state that
/// results must be the one that the last record names.
public final class StateRecords {
  private final Hashing hashing;
  private final SharedValues values = new SharedValues();
  private final SharedValue.Source source;
  private final Map<Sum, Object> decoded = new HashMap<>();
  private ContextNumbers contexts;
  private final Parts parts = new Parts();
  private Sum sum = Sum.ZERO;

  /// The fields of a part, and the numbers of its contexts.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Piece(byte[] body, int[] contexts, Sum hash) {}

  /// The parts of a state as they were read.
  static final class Parts {
    static final Piece NO_HEAD = new Piece(new byte[0], new int[0], Sum.ZERO);

    final TreeMap<Integer, Piece> frames = new TreeMap<>();
    final TreeMap<Integer, Piece> tokens = new TreeMap<>();
    final Map<Integer, TreeMap<Long, Piece>> entries = new HashMap<>();
    Piece head = NO_HEAD;

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

  /// The metadata of a record.
  ///
  /// @param program null for a delta
  /// @param values the hashes of the values it refers to
  public record Header(
      boolean isBase, @Nullable ProgramHash program, Sum before, Sum after, List<Sum> values) {}

  StateRecords(StateLog.CaseKey key, SharedValue.Source source) {
    this.hashing = new Hashing(key.caseId(), key.valueKey());
    this.source = source;
    this.contexts = new ContextNumbers(hashing, values);
  }

  /// Reads a state, and the log that continues with its records.
  ///
  /// @param records a base and the deltas after it
  /// @param values returns the encoded value of a hash; null when it has none
  public static StateLog load(
      Machine machine, StateLog.CaseKey key, List<byte[]> records, SharedValue.Source values) {
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

  /// The header that a decoder is at.
  public static Header header(Decoder in) {
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
    for (int i = 0; i < records.size(); i++) {
      ProgramHash program = record(key, records.get(i), i == 0);
      if (program != null && !program.equals(machine.program.hash())) {
        throw new DamagedBytes(
            "the state belongs to program "
                + program
                + ", this is "
                + machine.program.name()
                + " "
                + machine.program.hash());
      }
    }
    long all = records.stream().mapToLong(each -> each.length).sum();
    long base = records.getFirst().length;
    StateAssembly assembly = new StateAssembly(machine, parts);
    ExecState state = assembly.state(contexts.all());
    StateLog log = new StateLog(state, key, values, contexts);
    log.loaded(new StateLog.Sizes(base, all - base, 0));
    if (contexts.defined() > 0 || !log.sum().equals(sum)) {
      throw new DamagedBytes("the sum of the state is wrong: its records are corrupt");
    }
    return log;
  }

  /// Checks a base and the deltas after it without their program: every value exists, and the sum
  /// of all parts after each record is the one it names.
  public static void verify(StateLog.CaseKey key, List<byte[]> records, SharedValue.Source values) {
    StateRecords reading = new StateRecords(key, values);
    for (int i = 0; i < records.size(); i++) {
      reading.record(key, records.get(i), i == 0);
    }
  }

  /// Reads one record; returns the program that a base names.
  private @Nullable ProgramHash record(StateLog.CaseKey key, byte[] bytes, boolean isFirst) {
    Decoder in = new Decoder(bytes);
    Header header = header(in);
    if (header.isBase() != isFirst) {
      throw new DamagedBytes("expected a base and then deltas");
    }
    ProgramHash program = header.program();
    if (program != null) {
      sum = hashing.start(program.high(), program.low(), key.startedMillis());
    } else if (!header.before().equals(sum)) {
      throw new DamagedBytes("a delta does not follow the record before it");
    }
    header.values().forEach(values::known);
    content(in);
    if (!sum.equals(header.after())) {
      throw new DamagedBytes("the sum after a record is wrong");
    }
    return program;
  }

  /// Reads contexts and parts, up to the end.
  private void content(Decoder in) {
    for (int left = in.count(); left > 0; left--) {
      define(in);
    }
    for (int left = in.count(); left > 0; left--) {
      part(in);
    }
    in.requireEnd();
  }

  SharedValues values() {
    return values;
  }

  /// Reads the contexts and parts of a [StateImage].
  StateLog image(
      Machine machine, StateLog.CaseKey key, Decoder in, ContextNumbers.Renumbering renumbering) {
    content(in);
    ExecState state = new StateAssembly(machine, parts).state(contexts.all());
    return new StateLog(state, key, values, contexts.renumbered(renumbering));
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
      byte[] bytes = source.get(hash);
      if (bytes == null) {
        throw new DamagedBytes("value " + hash + " is missing");
      }
      if (!hashing.shared(bytes, bytes.length).equals(hash)) {
        throw new DamagedBytes("value " + hash + " is corrupt");
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
      case PartWriter.HEAD -> {
        sum = sum.minus(parts.head.hash());
        parts.head = piece(in, kind, owner, 0);
      }
      case PartWriter.FRAME -> {
        put(in, parts.frames, owner, isGone ? null : piece(in, kind, owner, 0));
        if (isGone && parts.entries.containsKey(owner)) {
          parts.of(owner).values().forEach(each -> sum = sum.minus(each.hash()));
          parts.entries.remove(owner);
        }
      }
      case PartWriter.TOKEN ->
          put(in, parts.tokens, owner, isGone ? null : piece(in, kind, owner, 0));
      default -> {
        long number = in.natural();
        long key = Entries.key(kind, number);
        if (number < 0 || Entries.number(key) != number || kind > Entries.LATE) {
          throw in.damaged("an entry has no such number");
        }
        TreeMap<Long, Piece> of = parts.entries.computeIfAbsent(owner, _ -> new TreeMap<>());
        put(in, of, key, isGone ? null : piece(in, kind, owner, number));
      }
    }
  }

  /// @param piece null when the part is gone
  private <K> void put(Decoder in, TreeMap<K, Piece> all, K key, @Nullable Piece piece) {
    Piece before = piece == null ? all.remove(key) : all.put(key, piece);
    if (piece == null && before == null) {
      throw in.damaged("a part is removed that was not there");
    }
    sum = before == null ? sum : sum.minus(before.hash());
  }

  private Piece piece(Decoder in, int kind, long owner, long number) {
    byte[] body = in.raw(in.count());
    int[] numbers = new int[in.count()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.below(contexts.all().size() + 1);
    }
    PartWriter.Read read = new PartWriter.Read(number, body, numbers);
    Sum hash = PartWriter.hash(hashing, contexts, kind, owner, read);
    sum = sum.plus(hash);
    return new Piece(body, numbers, hash);
  }
}
