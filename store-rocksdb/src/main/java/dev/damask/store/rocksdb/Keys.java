package dev.damask.store.rocksdb;

import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.task.EffectId;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The keys of the store. The first byte is the kind of the key. A zero byte ends a case id,
/// because ids contain none. Numbers are big-endian, so that keys sort like numbers.
final class Keys {
  static final byte META = 'a';
  static final byte CASE = 'c';
  static final byte DUE = 'd';
  static final byte INTENT = 'i';
  static final byte KEY = 'k';
  static final byte MESSAGE = 'm';
  static final byte PROGRAM = 'p';
  static final byte RECEIPT = 'r';
  static final byte STATUS = 's';
  static final byte STATE = 'e';
  static final byte ENDED = 'n';
  static final byte FACT = 'f';
  static final byte ENDING = 'o';
  static final byte TRACE = 't';
  static final byte VALUE = 'v';
  static final byte JOURNAL = 'j';

  /// The inputs, the part of the trace and the receipts of one commit.
  static final byte RECORD = 'u';

  /// The index by workflow, status, start time and id.
  static final byte LISTED = 'l';

  /// Values that the journal refers to; they stay as long as the case.
  static final byte LASTING = 'w';

  private static final int LETTER = 1;

  private Keys() {}

  static byte[] meta(String name) {
    return join(META, utf(name));
  }

  static byte[] caseOf(String caseId) {
    return join(CASE, utf(caseId));
  }

  static String idOf(byte[] caseKey) {
    return text(caseKey, LETTER, caseKey.length);
  }

  static byte[] due(long millis, String caseId) {
    return join(DUE, number(millis), utf(caseId));
  }

  static long millisOf(byte[] due) {
    return ByteBuffer.wrap(due, LETTER, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  static String caseOfDue(byte[] due) {
    return text(due, LETTER + Long.BYTES, due.length);
  }

  static byte[] status(CaseRecord record) {
    return status(record.status().number(), record.startedMillis(), record.caseId());
  }

  static byte[] status(int status, long startedMillis, String caseId) {
    return join(STATUS, new byte[] {(byte) status}, number(startedMillis), utf(caseId));
  }

  static String caseOfStatus(byte[] key) {
    return text(key, LETTER + 1 + Long.BYTES, key.length);
  }

  static long startedOfStatus(byte[] key) {
    return ByteBuffer.wrap(key, LETTER + 1, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  static byte[] listed(CaseRecord record) {
    return listed(
        record.workflow(), record.status().number(), record.startedMillis(), record.caseId());
  }

  static byte[] listed(String workflow, int status, long startedMillis, String caseId) {
    return join(listed(workflow), new byte[] {(byte) status}, number(startedMillis), utf(caseId));
  }

  /// Returns the prefix of the listed cases of a workflow. The name is preceded by its length,
  /// because it may contain any character.
  static byte[] listed(String workflow) {
    byte[] name = utf(workflow);
    return join(LISTED, ByteBuffer.allocate(Integer.BYTES).putInt(name.length).array(), name);
  }

  /// Returns the key of the index by status that has the place and the id of a listed case.
  static byte[] statusOf(byte[] listed) {
    int name = ByteBuffer.wrap(listed, LETTER, Integer.BYTES).getInt();
    int from = LETTER + Integer.BYTES + name;
    return join(STATUS, Arrays.copyOfRange(listed, from, listed.length));
  }

  /// Returns the prefix of all keys of a kind that belong to a case.
  static byte[] of(byte kind, String caseId) {
    return join(kind, utf(caseId), new byte[] {0});
  }

  static byte[] intent(String caseId, EffectId effect) {
    return join(INTENT, utf(caseId), new byte[] {0}, number(effect.lineage()));
  }

  static String caseOfIntent(byte[] key) {
    int end = LETTER;
    while (key[end] != 0) {
      end++;
    }
    return text(key, LETTER, end);
  }

  static byte[] receipt(String caseId, long number) {
    return join(RECEIPT, utf(caseId), new byte[] {0}, number(number));
  }

  static byte[] trace(String caseId, long revision) {
    return join(TRACE, utf(caseId), new byte[] {0}, number(revision));
  }

  static byte[] state(String caseId, long revision) {
    return join(STATE, utf(caseId), new byte[] {0}, number(revision));
  }

  static byte[] journal(String caseId, long revision) {
    return join(JOURNAL, utf(caseId), new byte[] {0}, number(revision));
  }

  static byte[] record(String caseId, long revision) {
    return join(RECORD, utf(caseId), new byte[] {0}, number(revision));
  }

  static long revisionOf(byte[] state) {
    return ByteBuffer.wrap(state, state.length - Long.BYTES, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  static byte[] lasting(String caseId, Sum hash) {
    return join(LASTING, utf(caseId), new byte[] {0}, number(hash.high()), number(hash.low()));
  }

  static byte[] value(String caseId, Sum hash) {
    return join(VALUE, utf(caseId), new byte[] {0}, number(hash.high()), number(hash.low()));
  }

  /// The place of a case in the order of ends.
  static byte[] ended(long number) {
    return join(ENDED, number(number));
  }

  static long numberOfEnded(byte[] key) {
    return ByteBuffer.wrap(key, LETTER, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  /// The key under which the number of a case's end is stored.
  static byte[] endOf(String caseId) {
    return join(ENDING, utf(caseId));
  }

  static byte[] message(String caseId, String messageId) {
    return join(MESSAGE, utf(caseId), new byte[] {0}, utf(messageId));
  }

  static byte[] key(String type, String key) {
    byte[] name = utf(type);
    return join(
        KEY, ByteBuffer.allocate(Integer.BYTES).putInt(name.length).array(), name, utf(key));
  }

  static byte[] program(ProgramHash hash) {
    return join(PROGRAM, number(hash.high()), number(hash.low()));
  }

  static ProgramHash hashOf(byte[] program) {
    ByteBuffer key = ByteBuffer.wrap(program, LETTER, 2 * Long.BYTES);
    return new ProgramHash(key.getLong() ^ Long.MIN_VALUE, key.getLong() ^ Long.MIN_VALUE);
  }

  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  static byte[] utf(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /// A number as a value.
  static byte[] natural(long number) {
    Encoder out = new Encoder();
    out.natural(number);
    return out.toBytes();
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value ^ Long.MIN_VALUE).array();
  }

  private static byte[] join(byte kind, byte[]... parts) {
    return join(new byte[] {kind}, parts);
  }

  private static byte[] join(byte[] first, byte[]... parts) {
    int length = first.length;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer out = ByteBuffer.allocate(length).put(first);
    for (byte[] part : parts) {
      out.put(part);
    }
    return out.array();
  }
}
