package dev.damask.server;

import dev.damask.api.Problem;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/// The body of a request, which must have arrived within a time. A read that blocks for longer ends
/// with the connection.
final class TimedBody extends FilterInputStream {
  private final ConnectionTimes times;
  private final Duration most;

  TimedBody(InputStream in, ConnectionTimes times, Duration most) {
    super(in);
    this.times = times;
    this.most = most;
    times.waits();
  }

  private void require() {
    if (times.waited().compareTo(most) > 0) {
      throw new Problem(Problem.Kind.TIMED_OUT, "a body must arrive within " + most);
    }
  }

  @Override
  public int read() throws IOException {
    int read = in.read();
    require();
    return read;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = in.read(bytes, offset, length);
    require();
    return read;
  }

  /// The body is read; the server works.
  @Override
  public void close() {
    times.works();
  }
}
