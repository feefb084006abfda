package dev.damask.http;

import dev.damask.effect.EffectException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/// Sends requests over its own sockets. This ensures that it connects to the address that the guard
/// checked, while the certificate is checked against the name.
final class HttpConnection {
  private static final int CONNECT_MILLIS_MAX = 10_000;

  private final HttpOptions options;
  private volatile boolean isSent; // written by the caller's child, read by the caller

  HttpConnection(HttpOptions options) {
    this.options = options;
  }

  /// Returns whether a part of the request may have reached the server.
  boolean isSent() {
    return isSent;
  }

  HttpResponse exchange(HttpRequest request) throws EffectException, InterruptedException {
    HttpTarget target = request.target();
    List<InetAddress> addresses = options.guard().addresses(target);
    try (Socket socket = connected(target, addresses)) {
      OutputStream out = socket.getOutputStream();
      isSent = true;
      out.write(request.head());
      out.write(request.body());
      out.flush();
      return HttpResponse.read(
          new BufferedInputStream(socket.getInputStream()), options.answerBytesMax());
    } catch (HttpResponse.Unusable e) {
      throw new EffectException(
          HttpEffect.ANSWER, target.place() + ": unusable response: " + e.getMessage());
    } catch (SSLException e) {
      requireGoingOn();
      throw unreachable(target, "TLS connection failed", e);
    } catch (IOException e) {
      requireGoingOn();
      throw unreachable(target, "connection lost", e);
    }
  }

  /// Throws if the thread was interrupted: an interrupt breaks the connection and is the actual
  /// cause.
  private static void requireGoingOn() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  private Socket connected(HttpTarget target, List<InetAddress> addresses)
      throws EffectException, InterruptedException, IOException {
    IOException last = null;
    for (InetAddress address : addresses) {
      Socket socket = new Socket(Proxy.NO_PROXY);
      boolean isReady = false;
      try {
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(address, target.port()), CONNECT_MILLIS_MAX);
        Socket ready = target.isSecure() ? secured(socket, target) : socket;
        isReady = true;
        return ready;
      } catch (SSLException e) {
        throw e; // another address of this name would hide the error
      } catch (IOException e) {
        requireGoingOn();
        last = e;
      } finally {
        if (!isReady) {
          socket.close();
        }
      }
    }
    throw unreachable(target, "connection failed", last);
  }

  private Socket secured(Socket socket, HttpTarget target) throws IOException {
    SSLSocketFactory factory =
        options.tls() == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : options.tls();
    String name = target.host().name();
    boolean isName = target.host().address() == null;
    String peer = isName || !name.startsWith("[") ? name : name.substring(1, name.length() - 1);
    SSLSocket secure = (SSLSocket) factory.createSocket(socket, peer, target.port(), true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    if (isName) {
      parameters.setServerNames(List.of(new SNIHostName(name)));
    }
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return secure;
  }

  /// Creates the failure with the class of the exception only, because its message may repeat data
  /// of the request.
  private static EffectException unreachable(
      HttpTarget target, String what, @Nullable IOException why) {
    String kind = why == null ? "" : " (" + why.getClass().getSimpleName() + ")";
    return new EffectException(HttpEffect.UNREACHABLE, target.place() + ": " + what + kind);
  }
}
