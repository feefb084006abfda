package dev.damask.server;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.cases.OwnerService;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Serves an engine on a loopback port to the user who owns the directory of its store. The port
/// and a random admin token are in a file that only this user can read.
public final class OwnerDoor implements OwnerService {
  private static final String ACTOR = "owner";

  @Override
  public Running serve(Engine engine, Path folder) {
    ServerOptions options = ServerOptions.defaults().withPort(0);
    Site site =
        Site.of(DamaskServer.version())
            .withStore(folder.toString())
            .withFolder(folder)
            .withBackups(folder.toAbsolutePath().getRoot());
    String token = options.tokens().issue(Caller.of(ACTOR, Role.ADMIN));
    Path file = folder.resolve(FILE);
    DamaskServer server = DamaskServer.start(engine, options, site);
    boolean isWritten = false;
    try {
      TokenFile.writeSecret(
          file,
          JsonWriter.line(
              JsonWriter.object(
                  "url", server.url().toString(),
                  "token", token,
                  "process", ProcessHandle.current().pid())));
      isWritten = true;
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new IllegalStateException(
          file + ": cannot be written for its owner alone: " + e.getMessage(), e);
    } finally {
      if (!isWritten) {
        server.close();
      }
    }
    return () -> close(file, server);
  }

  private static void close(Path file, DamaskServer server) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      System.getLogger(OwnerDoor.class.getName())
          .log(System.Logger.Level.WARNING, file + ": cannot be removed", e);
    } finally {
      server.close();
    }
  }
}
