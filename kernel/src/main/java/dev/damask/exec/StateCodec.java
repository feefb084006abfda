package dev.damask.exec;

import dev.damask.migration.Relocation;
import dev.damask.program.ProgramHash;
import dev.damask.state.Invariant;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/// Writes a state as a compact, versioned, canonical byte sequence and reads it back. Equal states
/// have equal bytes; bytes of another program, of another version, or corrupt, are refused.
///
/// Contexts are written once each, in the order they are first met, and referred to by number.
public final class StateCodec {
  /// The format that is written: it records writes for every join, not only for those of graphs.
  static final int VERSION = 3;

  /// The oldest format that is read. Its blocks merge by comparing values.
  static final int OLDEST = 2;

  static final int CHECKSUM_BYTES = 4;
  static final int HEADER_BYTES = 1 + ProgramHash.BYTES;

  private StateCodec() {}

  public static byte[] encode(ExecState state) {
    return new StateWriter(state, Numbering.Own.of(state)).write();
  }

  /// Reads a state of the machine's program.
  public static ExecState decode(Machine machine, byte[] bytes) {
    ProgramHash hash = programOf(bytes);
    if (!hash.equals(machine.program.hash())) {
      throw new Decoder.DamagedBytes(
          "the state belongs to program "
              + hash
              + ", this is "
              + machine.program.name()
              + " "
              + machine.program.hash());
    }
    requireSound(bytes);
    try {
      return reader(machine, bytes, Relocation.none(machine.program)).read();
    } catch (IndexOutOfBoundsException | NullPointerException | Invariant.Broken e) {
      // Bytes with a right checksum that no encoder wrote: the tables do not fit together.
      throw new Decoder.DamagedBytes("the state does not fit its program: " + e.getMessage());
    }
  }

  /// A reader of sound bytes, whose program is the source of the relocation.
  static StateReader reader(Machine machine, byte[] bytes, Relocation relocation) {
    int end = bytes.length - CHECKSUM_BYTES;
    return new StateReader(machine, new Decoder(bytes, HEADER_BYTES, end), bytes[0], relocation);
  }

  /// Refuses bytes of another format or with a wrong checksum. This needs no program.
  public static void requireSound(byte[] bytes) {
    programOf(bytes);
    int end = bytes.length - CHECKSUM_BYTES;
    if (checksum(bytes, end) != stored(bytes, end)) {
      throw new Decoder.DamagedBytes("the checksum of the state is wrong: its bytes are corrupt");
    }
  }

  /// The program a stored state belongs to.
  public static ProgramHash programOf(byte[] bytes) {
    if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES) {
      throw new Decoder.DamagedBytes("a state has at least 21 bytes, found " + bytes.length);
    }
    if (bytes[0] < OLDEST || bytes[0] > VERSION) {
      throw new Decoder.DamagedBytes(
          "the state has format "
              + bytes[0]
              + ", this version reads formats "
              + OLDEST
              + " to "
              + VERSION);
    }
    Decoder header = new Decoder(bytes, 1, HEADER_BYTES);
    return new ProgramHash(header.fixed(), header.fixed());
  }

  static int checksum(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }

  private static int stored(byte[] bytes, int from) {
    int value = 0;
    for (int i = from; i < from + CHECKSUM_BYTES; i++) {
      value = value << 8 | (bytes[i] & 0xFF);
    }
    return value;
  }

  /// The contexts of a state, each once.
  static final class ContextTable {
    private static final int FEW = 8;

    private final List<Context> contexts = new ArrayList<>();
    private final Map<Context, Integer> numbers = new HashMap<>(); // empty while there are few

    int number(Context context) {
      if (contexts.size() > FEW) {
        return numbers.computeIfAbsent(context, this::added);
      }
      int known = contexts.indexOf(context); // spares the hash of all their values
      if (known >= 0) {
        return known;
      }
      int number = added(context);
      if (number == FEW) {
        contexts.forEach(each -> numbers.put(each, numbers.size()));
      }
      return number;
    }

    private int added(Context context) {
      contexts.add(context);
      return contexts.size() - 1;
    }

    /// Roughly how many bytes they take.
    int weight() {
      int sum = 0;
      for (Context each : contexts) {
        sum += each.weight() + each.size();
      }
      return sum;
    }

    void write(Encoder out) {
      out.natural(contexts.size());
      contexts.forEach(out::context);
    }

    static List<Context> read(Decoder in) {
      int count = in.count();
      List<Context> contexts = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        contexts.add(in.context());
      }
      return contexts;
    }
  }

  /// A copy that shares nothing that changes with the original.
  public static ExecState copy(Machine machine, ExecState state) {
    return decode(machine, encode(state));
  }
}
