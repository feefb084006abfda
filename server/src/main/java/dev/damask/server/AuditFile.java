package dev.damask.server;

import dev.damask.api.Audit;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/// An audit log in a file that only its owner reads: one JSON object per line. JSON escapes line
/// breaks, so nothing that is logged can look like another entry.
public final class AuditFile implements Audit, AutoCloseable {
  private final OutputStream out; // with the lock of this
  private boolean isBroken; // whether the last line may lack its end; with the lock of this

  AuditFile(OutputStream out) {
    this.out = out;
  }

  /// Opens a file and appends to it. Throws `IllegalArgumentException` if it cannot be opened.
  public static AuditFile open(Path file) {
    try {
      if (!Files.exists(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      return new AuditFile(Files.newOutputStream(file, StandardOpenOption.APPEND));
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be written: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void write(Entry entry) {
    String line =
        JsonWriter.line(
                JsonWriter.object(
                    "at", entry.at().toString(),
                    "who", entry.caller(),
                    "what", entry.action(),
                    "subject", entry.subject(),
                    "outcome", entry.outcome()))
            + "\n";
    try {
      boolean wasBroken = isBroken;
      isBroken = true;
      out.write(((wasBroken ? "\n" : "") + line).getBytes(StandardCharsets.UTF_8));
      out.flush();
      isBroken = false;
    } catch (IOException e) {
      throw new UncheckedIOException("the audit log cannot be written", e);
    }
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException("the audit log cannot be closed", e);
    }
  }
}
