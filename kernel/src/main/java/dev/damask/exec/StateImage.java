package dev.damask.exec;

import dev.damask.encoding.ContextNumbers;
import dev.damask.state.Frame;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.Token;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The compact form of a case that waits: its state in one piece of bytes, and what its [StateLog]
/// needs to continue the records that the store has. It is kept in memory only and has no format.
///
/// The state is written as a base is, by its parts and with contexts numbered from 1. A base begins
/// a new row of records; an image does not, so it also has the number that each context has in the
/// present row. Numbers of contexts that no part refers to any more stay unused. Values are part of
/// the image whatever their size; which of them the store has is listed.
public final class StateImage {
  private StateImage() {}

  /// Returns the image of a state; null if the state was changed since the last record.
  public static byte @Nullable [] of(StateLog log) {
    if (!log.isWritten()) {
      return null;
    }
    ExecState state = log.state();
    ContextNumbers own = ContextNumbers.inline(log.hashing());
    PartWriter writer = new PartWriter(state, own);
    writer.use(own, true);
    Encoder parts = new Encoder();
    int count = write(state, writer, parts);
    Encoder out = new Encoder(128 + parts.length());
    log.sum().write(out);
    log.writeSizes(out);
    List<Sum> stored = log.values().stored();
    out.natural(stored.size());
    stored.forEach(value -> value.write(out));
    ContextNumbers known = log.contexts();
    out.natural(known.all().size());
    out.natural(own.all().size());
    for (int i = 1; i < own.all().size(); i++) {
      int number = known.find(own.all().get(i), own.sum(i));
      if (number == ContextNumbers.NONE) {
        return null;
      }
      out.natural(number);
    }
    own.takeDefinitions(out);
    out.natural(count);
    out.raw(parts);
    log.hashing().release();
    return out.toBytes();
  }

  private static int write(ExecState state, PartWriter writer, Encoder out) {
    int count = 1;
    for (Frame frame : StateWalk.frames(state)) {
      writer.frame(frame);
      part(PartWriter.FRAME, frame.id, writer, out);
      count++;
      for (long key : StateWalk.entries(frame)) {
        if (writer.entry(frame, key)) {
          entry(frame.id, key, writer, out);
          count++;
        }
      }
    }
    for (Token token : StateWalk.tokens(state)) {
      writer.token(token);
      part(PartWriter.TOKEN, token.id, writer, out);
      count++;
    }
    for (long key : StateWalk.entries(state)) {
      if (writer.entry(key)) {
        entry(0, key, writer, out);
        count++;
      }
    }
    writer.head();
    part(PartWriter.HEAD, 0, writer, out);
    return count;
  }

  private static void part(int kind, int id, PartWriter writer, Encoder out) {
    out.octet(kind);
    out.natural(id);
    writer.write(out);
  }

  private static void entry(int owner, long key, PartWriter writer, Encoder out) {
    out.octet(Entries.kind(key));
    out.natural(owner);
    out.natural(Entries.number(key));
    writer.write(out);
  }

  /// Reads an image: the state, and the log that continues its records. Throws [DamagedBytes] if
  /// the state is another one than the image was made of.
  ///
  /// @param key the one that the log had
  public static StateLog read(Machine machine, StateLog.CaseKey key, byte[] image) {
    Decoder in = new Decoder(image);
    Sum sum = Sum.read(in);
    StateLog.Sizes sizes = StateLog.Sizes.read(in);
    StateRecords reading = new StateRecords(key, _ -> null);
    for (int left = in.count(); left > 0; left--) {
      reading.values().known(Sum.read(in));
    }
    int known = in.below(Integer.MAX_VALUE);
    int[] numbers = new int[in.below(Integer.MAX_VALUE)];
    for (int i = 1; i < numbers.length; i++) {
      numbers[i] = in.below(known);
    }
    StateLog log = reading.image(machine, key, in, new ContextNumbers.Renumbering(known, numbers));
    log.loaded(sizes);
    if (log.contexts().defined() > 0 || !log.sum().equals(sum)) {
      throw new DamagedBytes("the image of the state is wrong: its sum is " + log.sum());
    }
    return log;
  }
}
