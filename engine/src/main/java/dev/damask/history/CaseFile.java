package dev.damask.history;

import dev.damask.effect.Receipt;
import dev.damask.event.Scheduler;
import dev.damask.event.Tracer;
import dev.damask.exec.Machine;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseSource;
import dev.damask.store.PastStates;
import dev.damask.store.StateChange;
import dev.damask.store.Store.RevisionInputs;
import dev.damask.store.Store.RevisionRecord;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// One case outside of its store, with everything that its [History] reads: a recording that tests
/// repeat.
public final class CaseFile implements CaseSource {
  private static final int FORMAT = 1;
  private static final int CHECKSUM_BYTES = 4;

  private final CaseRecord record;
  private final TreeMap<Long, RevisionRecord> states = new TreeMap<>();
  private final TreeMap<Long, RevisionInputs> inputs = new TreeMap<>();
  private final Map<Sum, byte[]> values = new TreeMap<>();
  private final List<Receipt> receipts = new ArrayList<>();

  private CaseFile(CaseRecord record) {
    this.record = record;
  }

  /// Copies a case. Throws [DamagedBytes] or `CorruptCaseException` if it is corrupt.
  public static CaseFile of(CaseSource source, CaseRecord record) {
    CaseFile file = new CaseFile(record);
    file.receipts.addAll(source.receipts(record.caseId()));
    for (Receipt receipt : file.receipts) {
      receipt.values().forEach(value -> file.values.put(value.hash(), value.bytes()));
    }
    CaseSource copying = file.copying(source);
    PastStates.verify(copying, record);
    new History(copying, record, CaseFile::noMachine).verify();
    return file;
  }

  @SuppressWarnings("UnusedVariable") // reading the inputs needs no machine
  private static Machine noMachine(
      ProgramHash program, Scheduler scheduler, @Nullable Tracer tracer) {
    throw new IllegalStateException("program " + program + " is not needed to copy a case");
  }

  /// Keeps what is read from another source.
  private CaseSource copying(CaseSource source) {
    return new CaseSource() {
      @Override
      public Optional<CaseRecord> record(String caseId) {
        return source.record(caseId);
      }

      @Override
      public List<Receipt> receipts(String caseId) {
        return List.copyOf(receipts);
      }

      @Override
      public List<RevisionRecord> states(String caseId, long from, long to) {
        List<RevisionRecord> found = source.states(caseId, from, to);
        found.forEach(each -> states.put(each.revision(), each));
        return found;
      }

      @Override
      public List<RevisionInputs> journal(String caseId, long from, long to) {
        List<RevisionInputs> found = source.journal(caseId, from, to);
        found.forEach(each -> inputs.put(each.revision(), each));
        return found;
      }

      @Override
      public byte @Nullable [] value(String caseId, Sum hash) {
        byte[] value = source.value(caseId, hash);
        if (value != null) {
          values.put(hash, value);
        }
        return value;
      }
    };
  }

  /// Returns the bytes of a file.
  public byte[] encode() {
    Encoder out = new Encoder();
    out.octet(FORMAT);
    out.text(record.caseId());
    bytes(out, record.encode());
    out.natural(states.size());
    states.forEach((revision, each) -> {
      out.natural(revision);
      bytes(out, each.record().bytes());
    });
    out.natural(inputs.size());
    inputs.forEach((revision, each) -> {
      out.natural(revision);
      bytes(out, each.bytes());
    });
    out.natural(receipts.size());
    receipts.forEach(receipt -> bytes(out, receipt.encode()));
    out.natural(values.size());
    values.forEach((hash, value) -> {
      hash.write(out);
      bytes(out, value);
    });
    CRC32C crc = new CRC32C();
    out.addTo(crc);
    long sum = crc.getValue();
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.octet((int) (sum >>> shift) & 0xFF);
    }
    return out.toBytes();
  }

  private static void bytes(Encoder out, byte[] bytes) {
    out.natural(bytes.length);
    out.raw(bytes);
  }

  /// Reads what [#encode] returned. Throws [DamagedBytes] if it is corrupt.
  public static CaseFile decode(byte[] bytes) {
    int end = bytes.length - CHECKSUM_BYTES;
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, Math.max(0, end));
    long stored = 0;
    for (int i = 0; end > 0 && i < CHECKSUM_BYTES; i++) {
      stored |= (bytes[end + i] & 0xFFL) << (Byte.SIZE * i);
    }
    if (end <= 0 || stored != crc.getValue()) {
      throw new DamagedBytes("the file of a case is corrupt, or it is not one");
    }
    Decoder in = new Decoder(bytes, 0, end);
    int format = in.octet();
    if (format != FORMAT) {
      throw new DamagedBytes(
          "the file of a case has format " + format + ", this version reads format " + FORMAT);
    }
    String caseId = in.text();
    CaseFile file = new CaseFile(CaseRecord.decode(caseId, in.raw(in.count())));
    for (int left = in.count(); left > 0; left--) {
      long revision = in.natural();
      StateChange.Stored part = new StateChange.Stored(in.raw(in.count()));
      file.states.put(revision, new RevisionRecord(revision, part));
    }
    for (int left = in.count(); left > 0; left--) {
      long revision = in.natural();
      file.inputs.put(revision, new RevisionInputs(revision, in.raw(in.count())));
    }
    List<byte[]> receipts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      receipts.add(in.raw(in.count()));
    }
    for (int left = in.count(); left > 0; left--) {
      Sum hash = Sum.read(in);
      file.values.put(hash, in.raw(in.count()));
    }
    in.requireEnd();
    receipts.forEach(each -> file.receipts.add(Receipt.decode(each, file.values::get)));
    return file;
  }

  /// Returns the record of the case.
  public CaseRecord record() {
    return record;
  }

  @Override
  public Optional<CaseRecord> record(String caseId) {
    return Optional.of(record).filter(each -> each.caseId().equals(caseId));
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    return List.copyOf(receipts);
  }

  @Override
  public List<RevisionRecord> states(String caseId, long from, long to) {
    return List.copyOf(states.subMap(from, true, to, true).values());
  }

  @Override
  public List<RevisionInputs> journal(String caseId, long from, long to) {
    return List.copyOf(inputs.subMap(from, true, to, true).values());
  }

  @Override
  public byte @Nullable [] value(String caseId, Sum hash) {
    return values.get(hash);
  }
}
