package dev.damask.examples.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/// The service.
@SpringBootApplication
public class OrdersApplication {
  /// Starts the service.
  public static void main(String[] arguments) {
    SpringApplication.run(OrdersApplication.class, arguments);
  }
}
