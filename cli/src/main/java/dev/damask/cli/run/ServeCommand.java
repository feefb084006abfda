package dev.damask.cli.run;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.HistoryArguments;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.SecretArguments;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.server.AuditFile;
import dev.damask.server.DamaskServer;
import dev.damask.server.JwtKeys;
import dev.damask.server.JwtVerifier;
import dev.damask.server.ServerOptions;
import dev.damask.server.TokenFile;
import dev.damask.server.Tokens;
import dev.damask.server.WatchedTokens;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Runs an engine on a store and serves it over HTTP until it is interrupted.
@Command(
    name = "serve",
    description = "Runs the cases of a store and serves the HTTP API and the inspector.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:stopped", "2:no store, an invalid document, or a taken port"})
public final class ServeCommand implements Callable<Integer> {
  private static final int PORT_MAX = 65_535;

  private final Streams streams;

  @Parameters(
      paramLabel = "FILE or DIR",
      arity = "0..*",
      description =
          "Workflow documents to register. They are registered again when they change; a directory"
              + " is searched recursively.")
  private List<Path> documents = List.of();

  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      description =
          "The directory of the store, which is created if it does not exist, or the URL of a"
              + " cluster. Default: memory.")
  private @Nullable Path folder;

  @Option(
      names = "--node",
      description = "Joins a cluster as a node. Without it, the server owns no cases of a cluster.")
  private boolean isNode;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port; 0 for any free one. Default: 8470.")
  private int port = ServerOptions.PORT;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS",
      description = "The address to listen on. Default: loopback.")
  private @Nullable String listen;

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = "The URL that clients use, such as https://damask.example.org.")
  private @Nullable URI publicUrl;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Writes an admin token for programs to this file, which only its owner reads.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--tokens",
      paramLabel = "FILE",
      description = "Accepts the tokens of this file: name, role, workflows and SHA-256 hash each.")
  private @Nullable Path tokens;

  @Option(
      names = "--jwt-issuer",
      paramLabel = "ISSUER",
      description = "Accepts JSON Web Tokens of this issuer. Requires the other --jwt options.")
  private @Nullable String jwtIssuer;

  @Option(
      names = "--jwt-audience",
      paramLabel = "NAME",
      description = "The audience that a JSON Web Token must be for.")
  private @Nullable String jwtAudience;

  @Option(
      names = "--jwt-keys",
      paramLabel = "FILE or URL",
      description = "The issuer's public keys as a JSON Web Key Set.")
  private @Nullable String jwtKeys;

  @Option(
      names = "--audit",
      paramLabel = "FILE",
      description = "Appends changes, refusals, exports and unredacted reads to this file.")
  private @Nullable Path audit;

  @Option(
      names = "--backups",
      paramLabel = "DIR",
      description = "Allows admins to create backups in this directory.")
  private @Nullable Path backups;

  @Option(
      names = "--tls",
      paramLabel = "FILE",
      arity = "2",
      description = "Serves HTTPS with a certificate chain and a private key, both as PEM files.")
  private List<Path> tls = List.of();

  @Option(
      names = "--allow",
      paramLabel = "HOST",
      description = "Allows `http` effects to call this host. Repeatable.")
  private List<String> allow = new ArrayList<>();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "Provides a secret: NAME, NAME=env:VARIABLE or NAME=file:PATH. Repeatable.")
  private List<String> secrets = new ArrayList<>();

  @Mixin private HistoryArguments history = new HistoryArguments();

  private @Nullable WatchedTokens watchedTokens; // null without --tokens

  public ServeCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    ServerOptions options = options();
    SecretArguments given = SecretArguments.read(secrets);
    WatchedDocuments watched = new WatchedDocuments(documents);
    BuiltInHandlers handlers = new BuiltInHandlers(streams, allow, caseId -> caseId);
    EngineOptions engineOptions = history.apply(EngineOptions.defaults());
    try (Sessions sessions = sessions(engineOptions, store(), given, handlers);
        DamaskServer server = started(sessions, options)) {
      Engine engine = sessions.engine();
      watched.load(engine, this::warn, true);
      writeToken(options.tokens());
      streams.out().println("serving " + (folder == null ? "memory" : shown(folder)));
      streams.out().println(server.link());
      streams.out().flush();
      waitUntilStopped(watched, engine);
      return Exit.OK;
    }
  }

  private void warn(String line) {
    streams.err().println("damask: " + line);
  }

  private void waitUntilStopped(WatchedDocuments watched, Engine engine)
      throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    Thread hook = new Thread(() -> stop(stopped, caller), "damask-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    while (!stopped.await(1, TimeUnit.SECONDS)) {
      watched.load(engine, this::warn, false);
      if (watchedTokens != null) {
        watchedTokens.refresh(this::warn);
      }
      if (engine.stopReason().isPresent()) {
        throw new Refusal("the engine stopped: " + engine.stopReason().get().getMessage());
      }
    }
  }

  private static void stop(CountDownLatch stopped, Thread caller) {
    stopped.countDown();
    try {
      caller.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String shown(Path folder) {
    return new StoreFolder(folder).toString();
  }

  private Store store() {
    if (folder == null) {
      return new MemoryStore();
    }
    StoreFolder chosen = new StoreFolder(folder);
    return isNode ? chosen.openToRun(true) : chosen.openToMake();
  }

  private static Sessions sessions(
      EngineOptions engine, Store store, SecretArguments secrets, BuiltInHandlers handlers) {
    EngineOptions options =
        engine
            .withSources(new KeptDocuments(store, null))
            .withSecrets(secrets::get)
            .withHandlers(handlers.all());
    return Sessions.open(SessionOptions.defaults().withEngine(options), store);
  }

  private DamaskServer started(Sessions sessions, ServerOptions options) {
    try {
      return DamaskServer.start(sessions.engine(), options, site().withSessions(sessions));
    } catch (IllegalStateException e) {
      throw new Refusal("--port " + options.port() + ": " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new Refusal("--tls: " + e.getMessage());
    }
  }

  private Site site() {
    Site site = Site.of(DamaskServer.version());
    if (backups != null) {
      site = site.withBackups(backups);
    }
    if (folder == null) {
      return site;
    }
    site = site.withStore(shown(folder));
    String url = ClusterUrls.url(folder.toString());
    return url == null
        ? site.withFolder(folder)
        : site.withNodes(() -> ClusterUrls.provider(url).nodes(url))
            .withMissing(() -> ClusterUrls.provider(url).missing(url))
            .withHeld(() -> ClusterUrls.provider(url).held(url));
  }

  private List<Function<String, Optional<Caller>>> providers(Clock clock) {
    if (jwtIssuer == null && jwtAudience == null && jwtKeys == null) {
      return List.of();
    }
    if (jwtIssuer == null || jwtAudience == null || jwtKeys == null) {
      throw new Refusal("--jwt-issuer, --jwt-audience and --jwt-keys require each other");
    }
    try {
      return List.of(new JwtVerifier(jwtIssuer, jwtAudience, JwtKeys.of(jwtKeys, clock), clock));
    } catch (IllegalArgumentException e) {
      throw new Refusal("--jwt-keys: " + e.getMessage());
    }
  }

  private ServerOptions options() {
    Clock clock = Clock.systemUTC();
    Tokens known = new Tokens(clock, providers(clock));
    if (tokens != null) {
      try {
        watchedTokens = new WatchedTokens(tokens, known);
      } catch (IllegalArgumentException e) {
        throw new Refusal("--tokens: " + e.getMessage());
      }
    }
    if (port < 0 || port > PORT_MAX) {
      throw new Refusal("--port must be between 0 and " + PORT_MAX + ", got " + port);
    }
    ServerOptions options = ServerOptions.defaults().withPort(port).withTokens(known);
    if (listen != null) {
      try {
        options = options.withAddress(InetAddress.getByName(listen));
      } catch (UnknownHostException e) {
        throw new Refusal("--listen: '" + listen + "' is not an address of this host");
      }
    }
    if (!tls.isEmpty()) {
      options = options.withTls(tls.getFirst(), tls.getLast());
    }
    if (audit != null) {
      try {
        options = options.withAudit(AuditFile.open(audit));
      } catch (IllegalArgumentException e) {
        throw new Refusal("--audit: " + e.getMessage());
      }
    }
    return publicUrl == null ? options : options.withPublicUrl(publicUrl);
  }

  private void writeToken(Tokens known) {
    if (tokenFile != null) {
      String token = known.issue(Caller.of("program", Role.ADMIN));
      try {
        TokenFile.writeSecret(tokenFile, token);
      } catch (IllegalArgumentException e) {
        throw new Refusal("--token-file: " + e.getMessage());
      }
    }
  }
}
