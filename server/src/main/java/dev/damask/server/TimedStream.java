package dev.damask.server;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/// A stream of events. The client is waited for while a write blocks, not between events.
final class TimedStream extends FilterOutputStream {
  private final ConnectionTimes times;

  TimedStream(OutputStream out, ConnectionTimes times) {
    super(out);
    this.times = times;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    times.waits();
    try {
      out.write(bytes, offset, length);
    } finally {
      times.works();
    }
  }

  @Override
  public void flush() throws IOException {
    times.waits();
    try {
      out.flush();
    } finally {
      times.works();
    }
  }
}
