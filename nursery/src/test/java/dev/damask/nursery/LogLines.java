package dev.damask.nursery;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Keeps what the nursery logs.
final class LogLines extends Handler implements AutoCloseable {

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("dev.damask.nursery");

  LogLines() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    Throwable thrown = line.getThrown();
    lines.add(
        new java.util.logging.SimpleFormatter().formatMessage(line)
            + (thrown == null ? "" : ": " + thrown));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
