package dev.damask.spring.inspector;

import dev.damask.api.Authenticator;
import dev.damask.door.ApiDoor;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/// The door of the application's engine. It closes before the web server stops, so open streams do
/// not delay the end of the application, and opens again if the application is started again.
public final class InspectorDoor implements SmartLifecycle, DisposableBean {
  private final Supplier<ApiDoor> opens;
  private final Optional<Authenticator> tokens;
  private @Nullable ApiDoor door; // with the lock of this

  /// Opens a door. It is open before the web server starts.
  ///
  /// @param tokens what is known about tokens; empty if the application knows its users itself
  InspectorDoor(Supplier<ApiDoor> opens, Optional<Authenticator> tokens) {
    this.opens = opens;
    this.tokens = tokens;
    this.door = opens.get();
  }

  /// Returns what is known about tokens.
  Optional<Authenticator> tokens() {
    return tokens;
  }

  /// Returns the door; empty while the application stops.
  synchronized Optional<ApiDoor> open() {
    return Optional.ofNullable(door);
  }

  @Override
  public synchronized void start() {
    if (door == null) {
      door = opens.get();
    }
  }

  @Override
  public synchronized void stop() {
    ApiDoor open = door;
    door = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void destroy() {
    stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return door != null;
  }
}
